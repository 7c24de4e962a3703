import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { CliHarness } from '../../support/cli.ts';

const parts = ['files', 'store', 'analysis/registries', 'rate-limits', 'identity-provider'];
const files = ['runtime/config', ...parts.map((part) => `${part}/settings`)];

test('the help of serve names every variable that the configuration reads', async () => {
  const cli = await CliHarness.start();
  const { stdout } = await cli.run(['serve', '--help']);
  await cli.stop();
  const sources = await Promise.all(files.map((file) => readFile(`src/${file}.ts`, 'utf8')));
  const names = [...sources.join('\n').matchAll(/^ {2}([A-Z][A-Z_]+): \w+\(/gm)].map(([, name]) => name ?? '');
  expect(names.length).toBeGreaterThan(20);
  expect(names.filter((name) => !stdout.includes(name))).toEqual([]);
});
