/** The guide's commands for clients in other languages are those that `npm test -- generators` runs. */
import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { generators } from '../generators/generators.ts';

const guide = readFileSync('docs/generated-clients.md', 'utf8');
const { dependencies } = JSON.parse(readFileSync('test/generators/package.json', 'utf8')) as {
  dependencies: Record<string, string>;
};

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
])('%s', (name) => {
  const generator = generators.find((one) => one.name === name);
  expect(generator).toBeDefined();
  expect(guide).toContain(`\`${generator ? commandOf(generator) : ''}\``);
});

test('it has a command for each language', () => {
  for (const { language } of generators) expect(guide).toMatch(new RegExp(`^\\| ${language}[ ,].*\\| \`npx `, 'm'));
});
