/** What the guides show and name is what there is. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { secretVariables } from '../../src/runtime/config.ts';
import { generators } from '../generators/generators.ts';

const read = (path: string) => readFileSync(path, 'utf8');

test('the guide shows two exercises whole, which the exercises carry out', () => {
  const shown = [...read('docs/adding-an-operation.md').matchAll(/^```diff\n(.*?)^```$/gms)].map(([, diff]) => diff);
  const exercises = ['get-status', 'lock-case'].map((name) => read(`test/exercises/${name}.diff`)).join('');
  expect(shown.sort()).toEqual(exercises.split(/^(?=diff --git )/m).sort());
});

test('the operators’ guides name every variable of the environment that the configuration reads', () => {
  const parts = readdirSync('src').map((folder) => `src/${folder}/settings.ts`);
  const sources = ['src/runtime/config.ts', ...parts.filter((path) => existsSync(path))].map(read).join('\n');
  const variables = [...sources.matchAll(/^ {2}([A-Z][A-Z_]+): \w+\(/gm)].map(([, name = '']) => name);
  expect(variables.length).toBeGreaterThan(30);
  const files = secretVariables.map((name) => `${name}_FILE`);
  const guides = read('docs/operating.md') + read('docs/observability.md');
  expect([...variables, ...files].filter((name) => !guides.includes(`\`${name}\``))).toEqual([]);
});

test('every figure of a table of performance is in the results of the measurements', () => {
  const figuresOf = (text: string) =>
    [...text.matchAll(/\d[\d,]*(?:\.\d+)?/g)].map(([number]) => number.replaceAll(',', ''));
  const reports = readdirSync('bench/results').filter((name) => name.endsWith('.md'));
  const known = new Set(reports.flatMap((name) => figuresOf(read(`bench/results/${name}`))));
  const [measured = ''] = read('docs/performance.md').split('## Capacity planning');
  const rows = measured.split('\n').filter((line) => /^\|.*\d/.test(line));
  expect(rows.length).toBeGreaterThan(15);
  expect(rows.filter((row) => !figuresOf(row).every((number) => known.has(number)))).toEqual([]);
});

const languages = read('docs/generated-clients.md');
const { dependencies } = JSON.parse(read('test/generators/package.json')) as { dependencies: Record<string, string> };

/** The command of a generator, as `npx` runs it. */
function commandOf({ packageName, args }: (typeof generators)[number]): string {
  const version = dependencies[packageName] ?? '';
  const name = version.startsWith('npm:') ? version.slice('npm:'.length) : `${packageName}@${version.replace('^', '')}`;
  const quoted = args('openapi.yaml', 'client').map((arg) => (/[{}]/.test(arg) ? `'${arg}'` : arg));
  return ['npx', name, ...quoted].join(' ');
}

test.each([
  'openapi-typescript',
  'openapi-generator-python',
  'openapi-generator-java',
  'openapi-generator-go',
  'nswag',
])("the guide's command for a client by %s is that which `npm test -- generators` runs", (name) => {
  const generator = generators.find((one) => one.name === name);
  expect(generator).toBeDefined();
  expect(languages).toContain(`\`${generator ? commandOf(generator) : ''}\``);
});

test('the guide has a command for a client in each language', () => {
  for (const { language } of generators) expect(languages).toMatch(new RegExp(`^\\| ${language}[ ,].*\\| \`npx `, 'm'));
});
