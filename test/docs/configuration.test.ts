import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { secretVariables } from '../../src/runtime/config.ts';

const root = new URL('../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');

test('the operators’ guides name every variable of the environment that the configuration reads', () => {
  const folders = readdirSync(new URL('src', root));
  const parts = folders.map((folder) => `src/${folder}/settings.ts`).filter((path) => existsSync(new URL(path, root)));
  const sources = ['src/runtime/config.ts', ...parts].map(read).join('\n');
  const variables = [...sources.matchAll(/^ {2}([A-Z][A-Z_]+): \w+\(/gm)].map(([, name = '']) => name);
  expect(variables.length).toBeGreaterThan(30);
  const files = secretVariables.map((name) => `${name}_FILE`);
  const guides = read('docs/operating.md') + read('docs/observability.md');
  expect([...variables, ...files].filter((name) => !guides.includes(`\`${name}\``))).toEqual([]);
});
