import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { OperationId } from '../../generated/operations.js';
import { operationIdOf } from '../../src/conformance/document.js';
import { type Harness, type HarnessOptions, startHarness } from './harness.js';

/** Groups the tests of one documented answer, and fails if none of them has seen it. */
export function describeAnswer(
  operationId: OperationId,
  status: number | 'default',
  tests: (api: Harness) => void,
  options?: HarnessOptions,
): void {
  describe(`${operationId} ${status}`, () => {
    const api = {} as Harness;
    const seen = new Set<number>();

    beforeAll(async () => {
      const harness = await startHarness(options);
      Object.assign(api, harness, {
        call: async (...[method, path, callOptions]: Parameters<Harness['call']>) => {
          const response = await harness.call(method, path, callOptions);
          if (operationIdOf(method, path) === operationId) seen.add(response.status);
          return response;
        },
      });
    });

    afterAll(() => api.close());

    tests(api);

    test('is what some of these tests were answered', () => {
      expect([...seen].some((code) => (status === 'default' ? code >= 500 : code === status))).toBe(true);
    });
  });
}
