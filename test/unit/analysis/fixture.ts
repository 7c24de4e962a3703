import { setTimeout as sleep } from 'node:timers/promises';
import type { AnalysisParts, AnalysisTools } from '../../../src/analysis/analyse-next.ts';
import { type Registry, RegistryUnavailableError } from '../../../src/analysis/registries/registry.ts';
import { StoreUnavailableError } from '../../../src/store/errors.ts';
import { overrideStore } from '../../support/override-store.ts';

/** Readings that end when the test releases them, or when they are aborted. */
export function heldReadings() {
  let begun = 0;
  const { promise: released, resolve: release } = Promise.withResolvers<undefined>();
  const readDocument: AnalysisTools['readDocument'] = async (_path, _type, signal) => {
    begun += 1;
    await Promise.race([released, sleep(600_000, undefined, { ref: false, ...(signal && { signal }) })]);
    return { outcome: 'no_text', pages: null };
  };
  const untilBegun = async (count = 1) => {
    while (begun < count) await sleep(5);
  };
  return {
    readDocument,
    untilBegun,
    release: () => {
      release(undefined);
    },
  };
}

/** The same parts, but a call of the store fails so many times. */
export function failing(
  parts: AnalysisParts,
  method: keyof AnalysisParts['store'],
  times: number,
  error: Error = new StoreUnavailableError('away'),
): AnalysisParts {
  let left = times;
  const call = parts.store[method] as (...parameters: unknown[]) => Promise<unknown>;
  const replaced = (...parameters: unknown[]) => ((left -= 1) >= 0 ? Promise.reject(error) : call(...parameters));
  return { ...parts, store: overrideStore(parts.store, { [method]: replaced }) };
}

/** A register of UK companies that is unavailable until it is given a response, and what it was asked. */
export function register(more: Partial<Registry> = {}) {
  const asked: string[] = [];
  let find: Registry['find'] = () => Promise.reject(new RegistryUnavailableError('it does not respond'));
  const registry: Registry = {
    name: 'the register',
    kinds: ['uk-company-number'],
    find: (kind, value, signal) => {
      asked.push(value);
      return find(kind, value, signal);
    },
    ...more,
  };
  return { registry, asked, respondWith: (given: Registry['find']) => (find = given) };
}
