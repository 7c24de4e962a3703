import { cpSync, existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { StarlightUserConfig } from '@astrojs/starlight/types';
import type { ApiDocument, Operation, Schema } from '../../contract/document/model.ts';
import { errorHelp, errorPages, operationAddress } from './error-pages.ts';
import { guideGroups, guidePage, repositoryAddress } from './guides.ts';
import { type SitePage, sourceOf } from './markdown.ts';
import { documentAddress, type Version, versionPages } from './version-pages.ts';

const sources = fileURLToPath(new URL('site', import.meta.url));

/** The title and the navigation of the site. */
export interface SiteSettings {
  readonly title: string;
  readonly sidebar: readonly NonNullable<StarlightUserConfig['sidebar']>[number][];
}

/** The sources of the site. */
export interface SiteSources {
  readonly document: ApiDocument;
  /** The released versions. */
  readonly versions: readonly Version[];
  /** The contract's own changelog. */
  readonly changelog: string;
  /** The folder of the project, with the guides below `docs/`. */
  readonly root: string;
}

/** Writes all pages of the site and its settings to a new folder next to the packages that render it, and gives that. */
export async function prepareSite({ document, versions, changelog, root }: SiteSources): Promise<string> {
  const folder = mkdtempSync(fileURLToPath(new URL('.site-', import.meta.url)));
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  for (const part of ['src', 'public']) cpSync(join(sources, part), join(folder, part), { recursive: true });
  const publish = (path: string) => {
    mkdirSync(dirname(join(folder, 'public/files', path)), { recursive: true });
    cpSync(join(root, path), join(folder, 'public/files', path));
    return `/files/${path}`;
  };
  const repository = repositoryAddress(root);
  const guides = guideGroups
    .flatMap((group) => group.guides)
    .filter((name) => existsSync(join(root, `docs/${name}.md`)));
  const pages = [
    ...guides.map((name) => guidePage(root, name, { repository, publish })),
    ...errorPages(document, errorHelp),
    ...(await versionPages(versions, changelog)),
  ];
  for (const page of pages) write(`src/content/docs/${page.path}.md`, sourceOf(page));
  for (const { version, yaml } of versions) write(`public${documentAddress(version)}`, yaml);
  write('site.json', JSON.stringify({ title: document.title, sidebar: sidebarOf(pages) } satisfies SiteSettings));
  write('search.json', JSON.stringify(searchRecords(document)));
  return folder;
}

function sidebarOf(pages: readonly SitePage[]): SiteSettings['sidebar'] {
  const paths = pages.map(({ path }) => path);
  const below = (folder: string) => paths.filter((path) => path === folder || path.startsWith(`${folder}/`));
  return [
    { label: 'Start', items: [{ slug: 'index' }, { label: 'API reference', link: '/reference.html' }] },
    ...guideGroups.map(({ label, guides }) => ({
      label,
      items: guides.map((name) => `guides/${name}`).filter((path) => paths.includes(path)),
    })),
    { label: 'Error codes', collapsed: true, items: below('errors') },
    { label: 'Versions', collapsed: true, items: below('versions') },
  ];
}

/** A search result outside of the pages: a part of the reference, which is rendered in the browser. */
export interface SearchRecord {
  readonly url: string;
  readonly title: string;
  readonly content: string;
}

/** A record for each operation of a document, and for each of its parameters, headers and fields. */
function searchRecords(document: ApiDocument): SearchRecord[] {
  return document.operations.flatMap((operation) => {
    const { method, path, summary, description } = operation;
    const url = operationAddress(operation);
    const fields = fieldsOf(operation);
    const place = `${method.toUpperCase()} ${path}`;
    return [
      { url, title: `${place}: ${summary}`, content: [summary, description, path, ...fields.keys()].join(' ') },
      ...[...fields].map(([name, text]) => ({
        // The index keeps one record per address.
        url: url.replace('#', `?field=${encodeURIComponent(name)}#`),
        title: `${name} in ${place}`,
        content: `${name} ${name.replaceAll('_', ' ')}: ${text}`,
      })),
    ];
  });
}

function fieldsOf({ parameters, requestBody, responses }: Operation): Map<string, string> {
  const documented = Object.values(responses);
  const contents = [requestBody?.content ?? {}, ...documented.map(({ content }) => content)];
  const fields = [
    ...parameters,
    ...contents.flatMap((content) => Object.values(content).flatMap(({ schema }) => fieldsOfSchema(schema))),
    ...documented.flatMap(({ headers }) =>
      Object.entries(headers).map(([name, header]) => ({ name, description: header.description ?? '' })),
    ),
  ];
  return new Map(fields.map(({ name, description }) => [name, description]));
}

function fieldsOfSchema({ properties = {}, items }: Schema): { name: string; description: string }[] {
  return [
    ...Object.entries(properties).flatMap(([name, schema]) => [
      { name, description: typeof schema['description'] === 'string' ? schema['description'] : '' },
      ...fieldsOfSchema(schema),
    ]),
    ...(items ? fieldsOfSchema(items) : []),
  ];
}
