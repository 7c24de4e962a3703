import { cpSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { StarlightUserConfig } from '@astrojs/starlight/types';
import type { ApiDocument } from '../../contract/document/model.ts';
import { errorPages } from './error-pages.ts';
import { guideGroups, guidePage } from './guides.ts';
import { type SitePage, sourceOf } from './markdown.ts';
import { documentAddress, releasedVersions, versionPages } from './version-pages.ts';
import { contractChangelogFile } from '../release/changelog.ts';

const sources = fileURLToPath(new URL('site', import.meta.url));

export interface SiteSettings {
  readonly title: string;
  readonly sidebar: readonly NonNullable<StarlightUserConfig['sidebar']>[number][];
}

/** Writes all pages of the site and its settings to a new folder next to the packages that render it, and gives that. */
export async function prepareSite(document: ApiDocument): Promise<string> {
  const folder = mkdtempSync(fileURLToPath(new URL('.site-', import.meta.url)));
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  for (const part of ['src', 'public']) cpSync(join(sources, part), join(folder, part), { recursive: true });
  const publish = (path: string) => {
    mkdirSync(dirname(join(folder, 'public/files', path)), { recursive: true });
    cpSync(path, join(folder, 'public/files', path));
    return `/files/${path}`;
  };
  const versions = releasedVersions();
  const pages = [
    ...guideGroups.flatMap(({ guides }) => guides.map((name) => guidePage(name, publish))),
    ...errorPages(document),
    ...(await versionPages(versions, readFileSync(contractChangelogFile, 'utf8'))),
  ];
  for (const page of pages) write(`src/content/docs/${page.path}.md`, sourceOf(page));
  for (const { version, yaml } of versions) write(`public${documentAddress(version)}`, yaml);
  write('site.json', JSON.stringify({ title: document.title, sidebar: sidebarOf(pages) } satisfies SiteSettings));
  return folder;
}

function sidebarOf(pages: readonly SitePage[]): SiteSettings['sidebar'] {
  const paths = pages.map(({ path }) => path);
  const below = (folder: string) => paths.filter((path) => path === folder || path.startsWith(`${folder}/`));
  return [
    { label: 'Start', items: [{ slug: 'index' }, { label: 'API reference', link: '/reference.html' }] },
    ...guideGroups.map(({ label, guides }) => ({
      label,
      items: guides.map((name) => `guides/${name}`),
    })),
    { label: 'Error codes', collapsed: true, items: below('errors') },
    { label: 'Versions', collapsed: true, items: below('versions') },
  ];
}
