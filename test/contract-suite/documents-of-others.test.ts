/** Documents that others wrote to try out readers of OpenAPI: the suite takes each, whatever it can check of it. */
import { globSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { generatedChecks } from '../../contract/checks/index.ts';
import { loadDocument } from '../../contract/document/index.ts';
import { replayCases } from '../../contract/replay/replay-case.ts';
import { provoke } from '../../contract/replay/scenarios.ts';

const files = globSync('node_modules/@readme/oas-examples/3.*/json/*.json');

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
    const checks = generatedChecks(1, document);
    expect(new Set(checks.map(({ id }) => id)).size).toBe(checks.length);
    for (const { operationId } of document.operations)
      expect(checks.some(({ id }) => id === `generated.${operationId}.valid-request`)).toBe(true);
    for (const found of replayCases(document)) expect(provoke(found, document)).toBeTruthy();
  });
});
