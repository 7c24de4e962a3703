/** The editions of the document that others take: without what their tools cannot read, and faultless. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { parse, parseDocument, visit } from 'yaml';
import { loadDocument } from '../../contract/document/index.ts';
import { ownDocument } from '../../contract/document/own-document.ts';
import { editionsOf } from '../../scripts/docs/build.ts';
import { redocly } from '../../scripts/redocly.ts';
import { TemporaryFolder } from '../support/temporary-folder.ts';

const folder = await TemporaryFolder.make();
const bundle = JSON.parse(readFileSync('generated/openapi.json', 'utf8')) as { info: object };
const editions = editionsOf(bundle);
const textOf = (file: string) => editions.find(({ path }) => path === file)?.content.toString() ?? '';

test('the document is published as it is and as OpenAPI 3.1', () => {
  const names = ['openapi.yaml', 'openapi.json', 'openapi-3.1.yaml', 'openapi-3.1.json'];
  expect(editions.map(({ address }) => address)).toEqual(names.map((name) => `/${name}`));
  expect(JSON.parse(textOf('openapi.json'))).toEqual(bundle);
  expect(JSON.parse(textOf('openapi-3.1.json'))).toMatchObject({
    openapi: expect.stringMatching(/^3\.1\.\d$/) as unknown,
    info: bundle.info,
    components: { schemas: { Case: { properties: { label: { type: ['string', 'null'] } } } } },
    paths: { '/cases/{id}': { get: { parameters: [{ name: 'id', example: expect.any(String) as unknown }] } } },
  });
});

test('the contract suite reads the same document from the edition in OpenAPI 3.1, so that it checks a server alike', async () => {
  const read = await loadDocument(await folder.write('edition.yaml', textOf('openapi-3.1.yaml')));
  expect(read).toEqual({ ...ownDocument, warnings: [] });
});

describe.each(['openapi', 'openapi-3.1'])('%s.yaml', (name) => {
  const text = textOf(`${name}.yaml`);

  test('has no anchors, no aliases, and no references out of it', () => {
    const found: string[] = [];
    visit(parseDocument(text), {
      Value: (_key, { anchor }) => {
        if (anchor !== undefined) found.push(`&${anchor}`);
      },
      Alias: (_key, { source }) => void found.push(`*${source}`),
      Pair: (_key, { key, value }) => {
        const reference = String(value);
        if (String(key) === '$ref' && !reference.startsWith('#/')) found.push(reference);
      },
    });
    expect(found).toEqual([]);
    expect(text).not.toMatch(/\]\((?!https?:|#|mailto:)/);
  });

  test('has its descriptions as they were written: in literal blocks', () => {
    expect(text).toContain('\n    ## Areas\n    | Area | What it covers | Operations |\n    |---|---|---|\n');
    expect(text).not.toMatch(/: >[-+]?$/m);
  });

  test.each(['1.1', '1.2'] as const)('says what the JSON says, for readers of YAML %s', (version) => {
    expect(parse(text, { version })).toEqual(JSON.parse(textOf(`${name}.json`)));
  });

  test('has no fault for Redocly', async () => {
    const file = await folder.write(`${name}.yaml`, text);
    const lint = () => redocly('lint', file, '--config', join(process.cwd(), 'redocly.yaml'));
    expect(await lint()).toBe('');
    await folder.write(`${name}.yaml`, text.replace('description:', 'describes:'));
    expect(await lint()).toContain('describes');
  });
});
