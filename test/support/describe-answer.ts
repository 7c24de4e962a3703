import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import type { OperationId } from '../../generated/operations.js';
import { operationIdOf } from '../../contract/conformance.js';
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

    afterAll(async () => {
      await api.close();
      expect([...seen]).toContainEqual(status === 'default' ? expect.any(Number) : status);
      if (status === 'default') expect([...seen].some((code) => code >= 500)).toBe(true);
    });

    tests(api);
  });
}
