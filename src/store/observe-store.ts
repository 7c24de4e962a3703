import type { Authorisation, Store } from './store.ts';

/** Called for each call of a store method; what it returns is called when the method has ended, with whether it failed. */
export type StoreObserver = (method: string) => (failed: boolean) => void;

type Method = (...parameters: unknown[]) => Promise<unknown>;

type Value = object | string | undefined;

export function observeStore<S extends Partial<Store>>(store: S, observers: readonly StoreObserver[]): S {
  return new Proxy(store, {
    get: (target, name: keyof Store) => {
      const method = Reflect.get(target, name) as Method | Value;
      if (name === 'authorisedBy')
        return (authorisation: Authorisation) => {
          const authorised = target.authorisedBy?.(authorisation);
          return authorised && observeStore(authorised, observers);
        };
      if (typeof method !== 'function') return method;
      return async (...parameters: unknown[]) => {
        const end = observers.map((observe) => observe(name));
        let failed = true;
        try {
          const result = await (method as Method).apply(target, parameters);
          failed = false;
          return result;
        } finally {
          for (const tell of end) tell(failed);
        }
      };
    },
  });
}
