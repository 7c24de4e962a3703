/** The built site as a folder: its navigation, its links, and the texts that it makes of the document. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { buildDocs } from '../../scripts/docs/build.ts';
import { errorHelp } from '../../scripts/docs/error-pages.ts';
import { guideGroups } from '../../scripts/docs/guides.ts';
import { versionPages } from '../../scripts/docs/version-pages.ts';
import { ownDocument } from '../../contract/document/own-document.ts';
import { TemporaryFolder } from '../support/temporary-folder.ts';

let folder: TemporaryFolder;
let pages: Map<string, string>;
beforeAll(async () => {
  folder = await TemporaryFolder.make();
  await buildDocs(folder.path);
  const paths = readdirSync(join(folder.path, 'docs'), { recursive: true, encoding: 'utf8' });
  pages = new Map(paths.filter((path) => path.endsWith('.html')).map((path) => [path, read(path)]));
});
afterAll(() => folder.remove());

const read = (path: string) => readFileSync(join(folder.path, 'docs', path), 'utf8');

test('every guide is in the navigation, and has a page', () => {
  const guides = readdirSync('docs').filter((name) => name.endsWith('.md'));
  const listed = guideGroups.flatMap((group) => group.guides);
  expect([...listed].sort()).toEqual(guides.map((name) => name.replace(/\.md$/, '')).sort());
  const start = read('index.html');
  for (const name of listed) expect([name, start.includes(`href="guides/${name}.html"`)]).toEqual([name, true]);
});

test('every link within the site leads to a file, and to an element of it if it names one', () => {
  const broken = [...pages].flatMap(([path, html]) =>
    [...html.replaceAll(/<script\b[^>]*>[^]*?<\/script>/g, '').matchAll(/\s(?:href|src)="([^"]*)"/g)]
      .map(([, link = '']) => link.replaceAll('&#38;', '&'))
      .filter((link) => !/^([a-z]+:|\?)/.test(link))
      .filter((link) => {
        const { pathname, hash } = new URL(link, `https://site/${path}`);
        const target = decodeURIComponent(pathname.slice(1));
        if (!existsSync(join(folder.path, 'docs', target))) return true;
        // A browser makes the elements of the reference; their names are those of the document.
        const [, operationId] = /operation\/(\w+)$/.exec(hash) ?? [];
        if (target === 'reference.html') return operationId !== undefined && !read(target).includes(`"${operationId}"`);
        return hash !== '' && !pages.get(target)?.includes(` id="${decodeURIComponent(hash.slice(1))}"`);
      })
      .map((link) => `${path}: ${link}`),
  );
  expect(broken).toEqual([]);
});

test('no file is empty', () => {
  const files = readdirSync(join(folder.path, 'docs'), { recursive: true, withFileTypes: true });
  const sizes = files
    .filter((file) => file.isFile())
    .map(({ parentPath, name }) => ({ name, size: statSync(join(parentPath, name)).size }));
  expect(sizes.some(({ name }) => name === 'pagefind-entry.json')).toBe(true);
  expect(sizes.filter(({ size }) => size === 0)).toEqual([]);
});

test('links that leave the guides lead to the repository, if its address is known, and else are no links', () => {
  const relative = [...pages.values()].flatMap((html) => [...html.matchAll(/href="[^"]*\/(src|test|deploy)\/[^"]*"/g)]);
  for (const [link] of relative) expect(link).toMatch(/^href="https:\/\/[^"]+\/blob\/main\//);
});

test('every error code has a page with when, why and what to do', () => {
  const codes = Object.keys(ownDocument.errors).sort();
  expect(Object.keys(errorHelp).sort()).toEqual(codes);
  for (const code of codes) {
    const page = pages.get(`errors/${code}.html`) ?? '';
    for (const part of ['when', 'why', 'what-to-do']) expect(page).toContain(`id="${part}"`);
    expect(page).toContain(`<strong>${ownDocument.errors[code]?.status ?? ''} `);
  }
  expect(pages.get('errors/request.validation.failed.html')).toContain('operation/updateVerificationSetting');
  // The interface document says nothing of risk scores, so there is no remedy to tell.
  expect(errorHelp['request.cases.file.missing-risk-score']).toMatchObject({
    todo: [expect.stringContaining('describes neither an operation that responds with this code, nor how')],
    retry: expect.not.stringContaining('Yes'),
  });
});

test('each released version has a page and its document', () => {
  const versions = readdirSync('openapi/released');
  expect(versions.length).toBeGreaterThan(0);
  for (const name of versions) {
    expect(pages.get(`versions/${name.replace('.yaml', '.html')}`)).toContain(`href="../versions/${name}"`);
    expect(read(`versions/${name}`)).toBe(readFileSync(`openapi/released/${name}`, 'utf8'));
  }
});

test('a second version shows what changed for clients, and every difference', async () => {
  const yaml = readFileSync('openapi/released/0.0.1.yaml', 'utf8');
  const changed = yaml
    .replace('version: 0.0.1', 'version: 0.1.0')
    .replace('operationId: getCase', 'operationId: readCase');
  const changelog =
    '# Changelog\n\n## Unreleased\n\n## 0.1.0 - 2026-12-01\n\n### Changed\n\n- A name.\n\n## 0.0.1 - 2026-11-01\n\n- All.\n';
  const released = [
    { version: '0.0.1', yaml },
    { version: '0.1.0', yaml: changed },
  ];
  const [list, last, first] = await versionPages(released, changelog);
  expect([list?.path, last?.path, first?.path]).toEqual(['versions', 'versions/0.1.0', 'versions/0.0.1']);
  expect(list?.markdown).toContain('[0.1.0](/versions/0.1.0.html) | Since 0.0.1: 1 breaking and 0 compatible changes.');
  expect(last?.markdown).toMatch(/## Breaking changes\n\n### GET \/cases\/\{id\}\n\n- .*getCase/);
  expect(last?.markdown).toMatch(/```diff\n[^]*\n- +operationId: getCase\n\+ +operationId: readCase\n[^]*```/);
  expect(last?.markdown).toContain('## Changelog\n\n### Changed\n\n- A name.\n\n## ');
  expect(first?.markdown).toContain('## Changelog\n\n- All.\n\n## ');
  expect(first?.markdown).toContain('`GET /cases/{id}`');
});
