import type { Variant } from '../mutant.ts';
import { connectionVariants } from './connections.ts';
import { headerVariants } from './headers.ts';
import { jsonVariants } from './json.ts';
import { timingVariants } from './timing.ts';
import { spellingVariants } from './spellings.ts';

/** Servers that conform in another way than the project's own: no check may fail. `breaks` describes the difference. */
export const harmlessVariants: readonly Variant[] = [
  ...jsonVariants,
  ...headerVariants,
  ...connectionVariants,
  ...timingVariants,
  ...spellingVariants,
];

const names = new Set(harmlessVariants.map(({ name }) => name));

/** Whether the server of this name conforms. */
export function isHarmless(name: string): boolean {
  return names.has(name);
}
