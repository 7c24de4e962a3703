import type { Check } from '../run/model.ts';
import { sourceOf } from './interface-rules.ts';

/** Defines a check of this layer. Its id begins with the id of its rule, which determines its source. */
export function ruleCheck(definition: Omit<Check, 'layer' | 'source'>): Check {
  return { layer: 'rules', source: sourceOf(definition.id), ...definition };
}
