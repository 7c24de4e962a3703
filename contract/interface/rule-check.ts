import type { Check } from '../run/model.ts';
import { sourceOf } from './interface-rules.ts';

/** A check of this layer. Its id begins with the rule that it is about, whose source is its own. */
export function ruleCheck(definition: Omit<Check, 'layer' | 'source'>): Check {
  return { layer: 'rules', source: sourceOf(definition.id), ...definition };
}
