import { declareValuePlugin, PluginKind } from '@stryker-mutator/api/plugin';

/** The positions of help texts among the arguments of calls that define the command line. */
const helpTexts = new Map(
  Object.entries({
    DescribedCommand: [1, 2],
    ReportingCommand: [2, 3],
    description: [0],
    option: [1],
    requiredOption: [1],
    argument: [1],
    Option: [1],
    Argument: [1],
  }),
);

interface Node {
  readonly name?: string;
  readonly property?: Node;
  readonly callee?: Node;
  readonly arguments?: readonly Node[];
}

/** Ignores the texts of `--help`, because a test that repeats them would not test the program. */
export const strykerPlugins = [
  declareValuePlugin(PluginKind.Ignore, 'help-texts', {
    shouldIgnore(path) {
      const { node, parent } = path as unknown as { node: Node; parent: Node | null };
      const called = parent?.callee?.property ?? parent?.callee;
      const texts = helpTexts.get(called?.name ?? '') ?? [];
      return texts.includes(parent?.arguments?.indexOf(node) ?? -1) ? 'a text of --help' : undefined;
    },
  }),
];
