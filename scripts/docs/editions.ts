/**
 * The published editions of the document. The authored YAML has anchors, which some generators cannot read, so the
 * published one is written from the bundle: no anchors, no aliases, no references to other files. For tools that need
 * OpenAPI 3.1 there is an edition converted from it.
 */
import { upgrade } from '@scalar/openapi-upgrader';
import { stringify } from 'yaml';
import type { DocsFile } from './write.ts';

/** Every edition of the document, as YAML and as JSON. */
export function editionsOf(document: object): DocsFile[] {
  const latest = upgrade(structuredClone(document) as Record<string, unknown>, '3.1');
  return [...formsOf('openapi', document), ...formsOf('openapi-3.1', withSingleExamples(latest))];
}

function formsOf(name: string, document: object): DocsFile[] {
  const [yaml, json] = [`${name}.yaml`, `${name}.json`];
  return [
    // Most programs read YAML 1.1, which parses `no` as a boolean and an unquoted time as a date. A folded block would
    // have a blank line after each line.
    {
      path: yaml,
      address: `/${yaml}`,
      content: Buffer.from(stringify(document, { version: '1.1', lineWidth: 120, blockQuote: 'literal' })),
    },
    { path: json, address: `/${json}`, content: Buffer.from(`${JSON.stringify(document, null, 2)}\n`) },
  ];
}

/**
 * Restores the `example` of parameters, headers and media types. It is still valid in OpenAPI 3.1, but the upgrade
 * turns it into `examples`, which Dredd does not read.
 */
function withSingleExamples<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(withSingleExamples) as T;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]: [string, unknown]) =>
      key === 'examples' && isSingle(item) ? ['example', item.default.value] : [key, withSingleExamples(item)],
    ),
  ) as T;
}

function isSingle(value: unknown): value is { default: { value: unknown } } {
  if (typeof value !== 'object' || value === null || Object.keys(value).join() !== 'default') return false;
  const { default: only } = value as { default: unknown };
  return typeof only === 'object' && only !== null && Object.keys(only).join() === 'value';
}
