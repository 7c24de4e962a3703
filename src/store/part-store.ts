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

/** An object whose further members are loaded. All have one prototype, because each request that writes makes one. */
class Parts {
  readonly access: Access;
  methods: Promise<Record<string, Method>> | undefined;

  static {
    const load = async (access: Access) => {
      const { partsOn } = await import('./parts/index.ts');
      return partsOn(access) as unknown as Record<string, Method>;
    };
    const get = (_: object, name: string | symbol, store: Parts) => {
      if (typeof name === 'symbol' || absent.includes(name)) return undefined;
      return async (...parameters: unknown[]) => (await (store.methods ??= load(store.access)))[name]?.(...parameters);
    };
    Object.setPrototypeOf(this.prototype, new Proxy({}, { get }));
  }

  constructor(access: Access) {
    this.access = access;
  }
}

/** Adds the methods that are written once: what an object lacks, its prototype loads. */
export function withParts<Own extends object>(access: Access, own: Own): Own & PartStore {
  return Object.assign(new Parts(access) as unknown as PartStore, own);
}
