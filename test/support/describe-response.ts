import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { OperationId } from '../../generated/operations.ts';
import { matchOperation } from '../../contract/document/index.ts';
import { ownDocument } from '../../contract/document/own-document.ts';
import { openPostgresStore } from '../../src/store/postgres/open.ts';
import { type Harness, type HarnessOptions, startHarness } from './harness.ts';
import { describeDatabase } from './describe-postgres.ts';

type Tests = (api: Harness) => void;

/** Groups the tests of one response, and fails if none has seen it. Those of success run on either engine. */
export function describeResponse(
  operationId: OperationId,
  status: number,
  tests: Tests,
  options?: HarnessOptions,
): void {
  describeResponseOf(operationId, status, tests, options);
  if (status === 200)
    describeDatabase('on PostgreSQL', (database) => {
      const openStore = async () => openPostgresStore({ url: await database.freshUrl(), poolSize: 4 }, 'uk');
      describeResponseOf(operationId, status, tests, { ...options, openStore });
    });
}

function describeResponseOf(operationId: OperationId, status: number, tests: Tests, options?: HarnessOptions): void {
  describe(`${operationId} ${status}`, () => {
    const api = {} as Harness;
    const seen = new Set<number>();

    beforeAll(async () => {
      const harness = await startHarness(options);
      Object.assign(api, harness, {
        call: async (...[method, path, callOptions]: Parameters<Harness['call']>) => {
          const response = await harness.call(method, path, callOptions);
          if (matchOperation(ownDocument, method, path)?.operationId === operationId) seen.add(response.status);
          return response;
        },
      });
    });

    afterAll(() => api.close());

    tests(api);

    test('is the status of a response in these tests', () => {
      expect([...seen]).toContain(status);
    });
  });
}
