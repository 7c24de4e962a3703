/** What the guides show, name and link to is what there is. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from '@jest/globals';
import { errors } from '../../generated/errors.ts';
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

test.each(generators.filter(({ name }) => name !== 'hey-api'))(
  "the guide's command for a client by $name is that which `npm test -- generators` runs, in the row of $language",
  (generator) => {
    const row = new RegExp(`^\\| ${generator.language}[ ,].*\\| \`npx `, 'm');
    expect(languages).toMatch(row);
    expect(languages).toContain(`\`${commandOf(generator)}\``);
  },
);

const documents = [
  ...['README.md', 'CHANGELOG.md', 'openapi/CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md'],
  ...readdirSync('docs').flatMap((name) => (name.endsWith('.md') ? [`docs/${name}`] : [])),
];
const proseOf = (path: string) => read(path).replaceAll(/^```.*?^```/gms, '');

/** The anchors of a document's headings, as GitHub forms them. */
const anchorsOf = (path: string) =>
  Array.from(proseOf(path).matchAll(/^#+ (.*)$/gm), ([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );

test('every relative link of a document leads to a file, and to a heading of it if it names one', () => {
  const links = documents.flatMap((name) =>
    Array.from(proseOf(name).matchAll(/\]\((?![a-z]+:)([^)\s]+)\)/g), ([, link = '']) => ({ name, link })),
  );
  expect(links.length).toBeGreaterThan(10);
  const broken = links.filter(({ name, link }) => {
    const [path = '', anchor] = link.split('#');
    const file = path === '' ? name : join(dirname(name), path);
    return !existsSync(file) || (anchor !== undefined && !anchorsOf(file).includes(anchor));
  });
  expect(broken).toEqual([]);
});

/** The codes of refusals that functions of src/api make. */
const codesMade: Readonly<Record<string, string>> = {
  malformed: 'request.malformed',
  unavailable: 'service.unavailable',
  validationRefusal: 'request.validation.failed',
};

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

test('the architecture names folders that exist, and every one of the program', () => {
  const named = [...architecture.matchAll(/`((?:[a-z-]+\/)+)`/g)].map(([, folder = '']) => folder);
  expect(named.filter((folder) => !existsSync(folder))).toEqual([]);
  const entries = readdirSync('src', { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect(named).toEqual(expect.arrayContaining(entries.map(({ name }) => `src/${name}/`)));
});

test('the picture names every generated file, and no other', () => {
  const [, names = ''] = />(openapi\.json · [^<]*)</.exec(read('docs/architecture.svg')) ?? [];
  expect(names.split(' · ').sort()).toEqual(readdirSync('generated').sort());
});
