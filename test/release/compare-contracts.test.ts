import { describe, expect, test } from '@jest/globals';
import { compareContracts } from '../../scripts/release/compare-contracts.ts';
import { type Json, readDocument } from '../../scripts/release/document.ts';
import { contractChanges } from './contract-changes.ts';

const document = await readDocument('openapi/openapi.yaml');

/** Not `structuredClone`: its objects come from outside Jest's realm, and are never deeply equal to those within. */
const clone = () => JSON.parse(JSON.stringify(document)) as Json;

describe.each(contractChanges)('%s', (_part, changes) => {
  test.each(changes.map(([title, kind, ...steps]) => ({ title, kind, steps })))(
    '$title: $kind',
    async ({ kind, steps }) => {
      const changed = clone();
      for (const step of steps) step(changed);
      const comparison = await compareContracts(document, changed);
      expect(comparison).toEqual({ kind, changes: expect.anything() });
    },
  );
});

test('every change has a place and a text, and none is told twice', async () => {
  const { changes } = await compareContracts(document, { ...clone(), paths: {}, servers: [] });
  expect(changes.length).toBeGreaterThan(4);
  expect(new Set(changes.map(({ where, text }) => `${where} ${text}`)).size).toBe(changes.length);
  for (const { where, text } of changes)
    expect([where, text]).toEqual([expect.stringMatching(/./), expect.stringMatching(/./)]);
});

test('a change of the responses that belong to no operation is told of them, and a document that oasdiff cannot read is refused', async () => {
  const { changes } = await compareContracts(document, { ...clone(), 'x-service-responses': {} });
  expect(new Set(changes.map(({ where }) => where))).toEqual(new Set(['x-service-responses']));
  await expect(compareContracts(document, { ...clone(), info: 'none' })).rejects.toThrow(/oasdiff cannot/);
});
