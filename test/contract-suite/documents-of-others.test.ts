/** Documents that others wrote to try out readers of OpenAPI: the suite takes each, and passes the mock of each. */
import { globSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { schemeEntry } from '../../contract/dimensions/credential-scheme.ts';
import { loadDocument } from '../../contract/document/index.ts';
import { provoke, replayCases } from '../../contract/plan/provoked.ts';
import { allChecks } from '../../contract/run/run.ts';
import { startMock } from '../support/mock.ts';
import { reportOn, targetAt } from '../support/contract.ts';

const files = [
  ...globSync('node_modules/@readme/oas-examples/3.*/json/*.json'),
  ...globSync('test/contract-suite/documents/{photo*,items,bikes/openapi}.yaml'),
];

/** What is wrong with those that are no valid documents. */
const refused: Record<string, RegExp> = {
  'parameters-common.json': /\/anything\/\{id\}\/\{action\}\/\{id\} has \{id\} twice/,
  'response-http-behavior.json': /the security scheme api_key is not described/,
};

test('there are documents of both versions, with recursion, composition, styles and OAuth 2', () => {
  expect(files.length).toBeGreaterThan(50);
});

describe.each(files)('%s', (file) => {
  const reason = refused[basename(file)];
  if (reason) {
    test('is refused', async () => {
      await expect(loadDocument(file)).rejects.toThrow(reason);
    });
    return;
  }

  test('gets checks, each with an id of its own', async () => {
    const document = await loadDocument(file);
    const checks = allChecks(document, 1);
    expect(new Set(checks.map(({ id }) => id)).size).toBe(checks.length);
    for (const { operationId } of document.operations)
      expect(checks.some(({ id }) => id === `explored.${operationId}.success`)).toBe(true);
    for (const found of replayCases(document)) expect(provoke(found, document)).toBeTruthy();
  });

  // Of a document in both versions, the newer one is enough.
  const newer = file.replace('/3.0/', '/3.1/');
  if (newer !== file && files.includes(newer)) return;

  test('has a mock that passes its checks', async () => {
    const document = await loadDocument(file);
    const mock = await startMock({ region: 'uk', document });
    const secrets = Object.keys(document.securitySchemes).map((name) => [schemeEntry(name), 'a-secret-1'] as const);
    const target = targetAt(mock.url, Object.fromEntries(secrets));
    const { results } = await reportOn(target, { document, timeoutSeconds: 30 });
    const failed = results.filter(({ outcome }) => outcome === 'failed');
    expect(failed.map(({ check, failures }) => [check.id, failures[0]?.message])).toEqual([]);
  });
});
