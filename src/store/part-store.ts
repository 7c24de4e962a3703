/** The methods of the store that the requests of the API do not pass through, loaded at the first call of one. */
import type { Access } from './statements.ts';
import type { OperationStore, Store } from './store.ts';

/** The methods that are written once for both engines. */
export type PartStore = Omit<
  Store,
  keyof OperationStore | 'findCase' | 'authorisedBy' | 'name' | 'warning' | 'check' | 'poolState' | 'close'
>;

type Method = (...parameters: unknown[]) => Promise<unknown>;

/** Members that a caller may look for in vain: a store is no promise, and not every store has a pool or a warning. */
const absent: readonly unknown[] = ['then', 'poolState', 'warning'];

/** Adds the methods that are written once: what an object lacks, its prototype loads. */
export function withParts<Own extends object>(access: Access, own: Own): Own & PartStore {
  let parts: Promise<Record<string, Method>> | undefined;
  const load = async () => {
    const { partsOn } = await import('./parts/index.ts');
    return partsOn(access) as unknown as Record<string, Method>;
  };
  const prototype = new Proxy({} as PartStore, {
    get: (_, name) => {
      if (typeof name === 'symbol' || absent.includes(name)) return undefined;
      return async (...parameters: unknown[]) => (await (parts ??= load()))[name]?.(...parameters);
    },
  });
  return Object.assign(Object.create(prototype) as PartStore, own);
}
