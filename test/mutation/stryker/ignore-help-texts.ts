import { declareValuePlugin, PluginKind } from '@stryker-mutator/api/plugin';

/** Where a call of the command line's definition has texts for people: descriptions and examples of the help. */
const helpTexts = new Map(
  Object.entries({
    describedCommand: [1, 2],
    reportingCommand: [1, 2],
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

/** Leaves out the texts of `--help`: a test that repeats each of them would say nothing about the program. */
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
