import { beforeAll, describe, expect, test } from '@jest/globals';
import { type OperationId, operations } from '../../generated/operations.ts';
import { matchOperation } from '../../contract/document/index.ts';
import { ownDocument } from '../../contract/document/own-document.ts';
import { openPostgresStore } from '../../src/store/postgres/open.ts';
import { addCaller } from './callers.ts';
import { type CallOptions, type CallResponse, type Harness, type HarnessOptions, startHarness } from './harness.ts';
import { describeDatabase } from './describe-postgres.ts';

/** Calls the operation, as somebody new who may. */
type CallAnew = (path: string, options?: CallOptions) => Promise<CallResponse>;
type Tests = (api: Harness, callAnew: CallAnew) => void;

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

    tests(api, async (path, { headers, ...more } = {}) => {
      const caller = await addCaller(api.store, operationId);
      const { method } = operations[operationId];
      return api.call(method.toUpperCase(), path, { headers: { ...caller.headers, ...headers }, ...more });
    });

    test('is the status of a response in these tests', () => {
      expect([...seen]).toContain(status);
    });
  });
}
