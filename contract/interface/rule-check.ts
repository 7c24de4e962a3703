import type { Check } from '../run/model.ts';

/** A check of this layer. */
export function ruleCheck(definition: Omit<Check, 'layer'>): Check {
  return { layer: 'rules', ...definition };
}
