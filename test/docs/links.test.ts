import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';

const root = new URL('../../', import.meta.url);
const guides = readdirSync(new URL('docs', root)).filter((name) => name.endsWith('.md'));
const documents = [
  ...['README.md', 'CHANGELOG.md', 'openapi/CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md'],
  ...guides.map((name) => `docs/${name}`),
];

const textOf = (file: URL) => readFileSync(file, 'utf8').replaceAll(/^```.*?^```/gms, '');

/** The targets of a document's links and pictures that are not addresses of another host. */
function relativeLinks(file: URL): string[] {
  const targets = [...textOf(file).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
  return targets.filter((target) => !/^[a-z]+:/.test(target));
}

/** The anchors of a document's headings, as GitHub forms them. */
function anchorsOf(file: URL): string[] {
  return [...textOf(file).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

test('every relative link of a document leads to a file, and to a heading of it if it names one', () => {
  const links = documents.flatMap((name) => relativeLinks(new URL(name, root)).map((link) => ({ name, link })));
  expect(links.length).toBeGreaterThan(10);
  const broken = links.filter(({ name, link }) => {
    const target = new URL(link, new URL(name, root));
    const file = new URL(target.pathname, root);
    return !existsSync(file) || (target.hash !== '' && !anchorsOf(file).includes(target.hash.slice(1)));
  });
  expect(broken).toEqual([]);
});
