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
const absent: readonly string[] = ['then', 'poolState', 'warning'];

/** Adds the methods that are written once. */
export function withParts<Own extends object>(access: Access, own: Own): Own & PartStore {
  let parts: Promise<Record<string, Method>> | undefined;
  const load = async () => (await import('./parts/index.ts')).partsOn(access) as unknown as Record<string, Method>;
  const get = (_: Own, name: string | symbol): unknown => {
    if (name in own || typeof name === 'symbol' || absent.includes(name)) return Reflect.get(own, name);
    return async (...parameters: unknown[]) => (await (parts ??= load()))[name]?.(...parameters);
  };
  return new Proxy(own, { get }) as Own & PartStore;
}
