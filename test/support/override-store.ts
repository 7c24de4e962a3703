import type { Store } from '../../src/store/store.ts';

/** The same store with other members. Those that it loads when they are called are on its prototype. */
export function overrideStore<S extends object = Store>(store: S, members: Partial<S>): S {
  return Object.assign(Object.create(store) as S, members);
}
