// @ts-nocheck
import { declareValuePlugin, PluginKind } from '@stryker-mutator/api/plugin';

/** Where a call of the command line's definition has texts for people: descriptions and examples of the help. */
const helpTexts = new Map(Object.entries({
  describedCommand: [1, 2],
  answeringCommand: [1, 2],
  description: [0],
  option: [1],
  requiredOption: [1],
  argument: [1],
  Option: [1],
  Argument: [1],
}));

/** Leaves out the texts of `--help`: a test that repeats each of them would say nothing about the program. */
export const strykerPlugins = [
  declareValuePlugin(PluginKind.Ignore, 'help-texts', {
    shouldIgnore({ node, parent }) {
      if (parent?.type !== 'CallExpression' && parent?.type !== 'NewExpression') return undefined;
      const { callee } = parent;
      const name = callee.type === 'MemberExpression' ? callee.property.name : callee.name;
      return helpTexts.get(name)?.includes(parent.arguments.indexOf(node)) ? 'a text of --help' : undefined;
    },
  }),
];
