import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

test('the architecture lists the steps of a request in the order in which the application takes them', () => {
  const [, list = ''] = /createApplication\(([^]*?)\n {2}\}\);/.exec(read('src/api/app.ts')) ?? [];
  const steps = [...list.matchAll(/^ {6}(?:\.\.\..*\[|\.\.\.)?(\w+)|failure: (\w+)/gm)].map(
    ([, step, last]) => step ?? last,
  );
  const listed = [...read('docs/architecture.md').matchAll(/^\| `(\w+)` \|/gm)].map(([, step]) => step);
  expect(listed).toEqual(steps);
});

test('the architecture names folders that exist', () => {
  const folders = [...read('docs/architecture.md').matchAll(/`((?:[a-z-]+\/)+)`/g)].map(([, folder = '']) => folder);
  expect(folders.length).toBeGreaterThan(8);
  for (const folder of folders)
    expect([folder, existsSync(new URL(`../../${folder}`, import.meta.url))]).toEqual([folder, true]);
});

test('the architecture names every folder of the program', () => {
  const entries = readdirSync(new URL('../../src', import.meta.url), { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => `\`src/${name}/\``);
  const text = read('docs/architecture.md');
  expect(folders.filter((folder) => !text.includes(folder))).toEqual([]);
});

test('the picture names every generated file, and no other', () => {
  const [, names = ''] = />(openapi\.json · [^<]*)</.exec(read('docs/architecture.svg')) ?? [];
  expect(names.split(' · ').sort()).toEqual(readdirSync(new URL('../../generated', import.meta.url)).sort());
});
