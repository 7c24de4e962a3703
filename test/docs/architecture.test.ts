import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { errors } from '../../generated/errors.ts';

/** The codes of refusals that functions of src/api make. */
const codesMade: Readonly<Record<string, string>> = {
  malformed: 'request.malformed',
  unavailable: 'service.unavailable',
  validationRefusal: 'request.validation.failed',
};

const read = (path: string) => readFileSync(path, 'utf8');
const architecture = read('docs/architecture.md');

test('the architecture lists the steps of a request in the order in which the application takes them', () => {
  const [, list = ''] = /createApplication\(([^]*?)\n {2}\}\);/.exec(read('src/api/app.ts')) ?? [];
  const steps = [
    ...list.matchAll(/(?:^ {6}|arrival: \[|(?<=arrival: .*), )(?:\.\.\..*\[|\.\.\.|shared\.)?(\w+)|failure: (\w+)/gm),
  ].map(([, step, last]) => step ?? last);
  const listed = [...architecture.matchAll(/^\| `(\w+)` \|/gm)].map(([, step]) => step);
  // What operations and other paths share is listed once.
  expect(listed).toEqual([...new Set(steps)]);
});

test('the architecture lists with each step the errors that its file makes', () => {
  const rows = [...architecture.matchAll(/^\| `(\w+)` \|.*\| ([^|]*) \|$/gm)];
  const sources = readdirSync('src/api/steps').map((name) => read(`src/api/steps/${name}`));
  const unlisted = sources.flatMap((source) => {
    const codes = [...source.matchAll(/Refusal\('([^']+)'|\b(malformed|unavailable|validationRefusal)(?:Of)?\(/g)].map(
      ([, code, maker = '']) => code ?? codesMade[maker],
    );
    const listed = rows.filter(([, step = '']) => new RegExp(`export .*\\b${step}\\b`).test(source));
    const statuses = codes.map((code) => String(errors[code as keyof typeof errors].status));
    return statuses.filter((status) => !listed.some(([, , all = '']) => all.split(', ').includes(status)));
  });
  expect([rows.length > 10, unlisted]).toEqual([true, []]);
});

test('the architecture names folders that exist', () => {
  const folders = [...architecture.matchAll(/`((?:[a-z-]+\/)+)`/g)].map(([, folder = '']) => folder);
  expect(folders.length).toBeGreaterThan(8);
  expect(folders.filter((folder) => !existsSync(folder))).toEqual([]);
});

test('the architecture names every folder of the program', () => {
  const entries = readdirSync('src', { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => `\`src/${name}/\``);
  expect(folders.filter((folder) => !architecture.includes(folder))).toEqual([]);
});

test('the picture names every generated file, and no other', () => {
  const [, names = ''] = />(openapi\.json · [^<]*)</.exec(read('docs/architecture.svg')) ?? [];
  expect(names.split(' · ').sort()).toEqual(readdirSync('generated').sort());
});
