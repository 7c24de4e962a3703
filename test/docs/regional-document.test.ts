import { describe, expect, test } from '@jest/globals';
import { regionalDocument, regionsOf } from '../../scripts/docs/regional-document.ts';
import { ownBundle, ownDocument } from '../../contract/document/own-document.ts';
import type { RawDocument } from '../../contract/document/raw.ts';
import { regions } from '../../src/domain/region.ts';

const document = ownBundle as RawDocument;
const changelog = '# Changelog\n\n## Unreleased\n\n## 1.0.0\n\n- A change. #1\n';

test('the document has the regions that the server knows, and names each of their base addresses in its introduction', () => {
  expect(regionsOf(document)).toEqual(regions);
  const items = Object.values(document.paths ?? {});
  for (const { url } of [document, ...items].flatMap(({ servers = [] }) => servers))
    expect(document.info.description).toContain(`\`${url}\``);
});

test('the values of an open enumeration stand in its description, as Redoc shows no other list of them', () => {
  const { properties } = ownDocument.schemas['FileSummary'] ?? {};
  const { description, 'x-extensible-enum': values = [] } = properties?.['analysis_status'] ?? {};
  expect(values.length).toBeGreaterThan(1);
  for (const value of values) expect(description).toContain(`\`${value}\``);
});

describe.each(regions)('the document for region %s', (region) => {
  const regional = regionalDocument(document, changelog, region);

  test('names no other region but where it speaks of both', () => {
    const others = regions.filter((other) => other !== region);
    const text = JSON.stringify([regional.servers, regional.paths, examplesOf(regional)]);
    for (const other of others) expect(text).not.toMatch(new RegExp(`[.\\-'"]${other}\\b`));
    expect(text).toContain(`https://cases.${region}.document-analysis.example`);
    expect(text).toContain(`region: '${region}'`);
    expect(text).toContain(`realm=\\"document-analysis-${region}\\"`);
  });

  test('says of each operation where it is called and what a caller needs', () => {
    expect(regional.paths?.['/organisations/features/verification']?.put?.description).toContain(
      `- **Base address**: \`https://api.${region}.document-analysis.example\`\n` +
        '- **Permission**: `organisation_settings:write`\n- **Feature**: `verification`',
    );
    expect(regional.paths?.['/cases/{id}']?.get?.description).toMatch(
      /- \*\*Permission\*\*: none\n- \*\*Feature\*\*: none$/,
    );
  });

  test('has only areas with operations, and ends with the changelog, without an empty section of what is unreleased', () => {
    expect(regional.tags?.map(({ name }) => name)).toEqual(['Cases', 'Organisations']);
    expect(regional.info.description).toMatch(/\n\n## Changelog\n\n### 1\.0\.0\n\n- A change\. #1\n$/);
  });
});

/** Every example below a value. */
function examplesOf(value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  const entries: [string, unknown][] = Object.entries(value);
  return entries.flatMap(([key, item]) => (key.startsWith('example') ? [item] : examplesOf(item)));
}
