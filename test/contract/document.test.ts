import { expect, test } from '@jest/globals';
import { ownDocument } from '../../contract/document/own-document.ts';
import { codesByStatus } from '../../scripts/generate/client-endpoint.ts';
import { errors } from '../../generated/errors.ts';
import { openApiDocument } from '../../src/domain/case-import.ts';
import { thumbnailNameOf } from '../../src/files/thumbnail-name.ts';
import type { Case } from '../../src/domain/case.ts';

const document = openApiDocument as unknown as {
  info: { description: string };
  components: { schemas: { Error: { properties: { error_code: { 'x-extensible-enum': string[] } } } } };
};
const source = JSON.stringify(openApiDocument);
const codes = Object.keys(errors).sort();

test('the document lists exactly the codes that the server knows', () => {
  expect(document.components.schemas.Error.properties.error_code['x-extensible-enum']).toEqual(codes);
});

test("the table of the document's introduction lists each code with its status", () => {
  const rows = [...document.info.description.matchAll(/^\| (\d+) \| `([a-z.-]+)` \|/gm)];
  const table = rows.map(([, status, code]) => [code, Number(status)]).sort();
  expect(table).toEqual(codes.map((code) => [code, errors[code as keyof typeof errors].status]));
});

test('its section of responses outside operations lists each of them, with its code', () => {
  const [section = ''] = /## Responses outside operations\n[^]*?(?=\n## )/.exec(document.info.description) ?? [];
  const rows = [...section.matchAll(/^\| (\d+) \| [^|]+ \| `([a-z.-]+)` \|/gm)];
  expect(rows.map(([, status, code]) => [status, code])).toEqual(
    codesByStatus(ownDocument.serviceResponses).map(({ status, codes: [code] }) => [status, code]),
  );
});

test('each example has the message that the server sends', () => {
  const examples = [...source.matchAll(/"error_code":"([^"]+)","error_message":"([^"]+)"/g)];
  expect(examples.length).toBeGreaterThan(15);
  for (const [, code = '', message] of examples)
    expect([code, message]).toEqual([code, errors[code as keyof typeof errors].message]);
});

const getCase = ownDocument.operations.find(({ operationId }) => operationId === 'getCase');
const examples = Object.values(getCase?.responses['200']?.content['application/json']?.examples ?? {});
const files = examples.flatMap(({ value }) => (value as Case).files);

test('the files of its examples are as this server makes them', () => {
  expect(files.map(({ analysis_status: status }) => status)).toContain('waiting_for_upload');
  for (const file of files) {
    expect(new URL(file.thumbnail_url).host).toBe('api.uk.document-analysis.example');
    expect(thumbnailNameOf(file.thumbnail_url)).toBeDefined();
    // Only its content decides of the type of a file (decision D155).
    expect(file.mime_type === 'application/octet-stream').toBe(file.analysis_status === 'waiting_for_upload');
    expect(file.analysis_completed_at === null).toBe(file.analysis_status !== 'analysis_complete');
  }
});
