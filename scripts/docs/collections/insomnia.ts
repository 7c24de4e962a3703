/**
 * A collection for Insomnia, in its export format 5. It follows the schema of Insomnia's importer
 * (`import-v5-parser.ts` in Kong/insomnia), which is not available as a package.
 */
import { createHash } from 'node:crypto';
import type { PostmanCollection, PostmanRequest } from './postman.ts';

/** The collection, to be written as YAML. */
export function insomniaCollection({ info, item, variable }: PostmanCollection): object {
  return {
    type: 'collection.insomnia.rest/5.0',
    schema_version: '5.1',
    name: info.name,
    meta: { ...metaOf('wrk', info.name), description: textOf(info.description) },
    collection: item.map((folder, place) => ({
      name: folder.name,
      meta: { ...metaOf('fld', folder.name), sortKey: place },
      children: folder.item.map(({ name, request }, at) => requestOf(name, request, at)),
    })),
    environments: {
      name: 'Base Environment',
      meta: metaOf('env', info.name),
      data: Object.fromEntries(variable.map(({ key, value }) => [key, value])),
    },
  };
}

function requestOf(name: string, { method, description, url, header, auth, body }: PostmanRequest, at: number): object {
  return {
    name,
    url: inInsomnia([...url.host, ...url.path].join('/')),
    meta: { ...metaOf('req', `${method} ${name}`), sortKey: at, description: textOf(description) },
    method,
    headers: parametersOf([...header, ...keyHeaderOf(auth)]),
    parameters: parametersOf(url.query),
    pathParameters: parametersOf(url.variable),
    ...(auth?.type === 'bearer' && { authentication: { type: 'bearer', ...settingsOf(auth) } }),
    ...(body?.mode === 'raw' && { body: { mimeType: 'application/json', text: inInsomnia(body.raw ?? '') } }),
  };
}

/** Sends a key as a header instead of using Insomnia's own authentication, which other importers do not support. */
function keyHeaderOf(auth: PostmanRequest['auth']): { key: string; value: string }[] {
  if (auth?.type !== 'apikey') return [];
  const { key = '', value = '' } = settingsOf(auth);
  return [{ key, value }];
}

function settingsOf(auth: NonNullable<PostmanRequest['auth']>): Record<string, string> {
  const settings = auth[auth.type] as { key: string; value: string }[];
  return Object.fromEntries(settings.map(({ key, value }) => [key, inInsomnia(value)]));
}

function parametersOf(parameters: PostmanRequest['header']): object[] {
  return parameters.map(({ key, value }) => ({ name: key, value: inInsomnia(value) }));
}

/** Insomnia's variables are fields of an object named `_`. */
function inInsomnia(text: string): string {
  return text.replaceAll(/\{\{(\w+)\}\}/g, '{{ _.$1 }}');
}

function metaOf(kind: string, name: string): { id: string } {
  return { id: `${kind}_${createHash('sha256').update(name).digest('hex').slice(0, 32)}` };
}

function textOf(description: PostmanRequest['description'] = ''): string {
  return typeof description === 'string' ? description : description.content;
}
