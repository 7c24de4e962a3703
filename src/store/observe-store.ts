import type { OperationStore } from './store.ts';

/** Is told when a method of the store is called; what it returns is told whether the call failed, when it has ended. */
export type StoreObserver = (method: string) => (failed: boolean) => void;

type Method = (...parameters: unknown[]) => Promise<unknown>;

/** The same store, with its calls observed. */
export function observeStore(store: OperationStore, observers: readonly StoreObserver[]): OperationStore {
  return new Proxy(store, {
    get: (target, name: keyof OperationStore) => {
      const method = Reflect.get(target, name) as Method;
      return async (...parameters: unknown[]) => {
        const end = observers.map((observe) => observe(name));
        let failed = true;
        try {
          const result = await method.apply(target, parameters);
          failed = false;
          return result;
        } finally {
          for (const tell of end) tell(failed);
        }
      };
    },
  });
}
