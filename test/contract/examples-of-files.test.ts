import { expect, test } from '@jest/globals';
import { ownDocument } from '../../contract/document/own-document.ts';
import { thumbnailNameOf } from '../../src/files/thumbnail-name.ts';
import type { Case } from '../../src/domain/case.ts';

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
