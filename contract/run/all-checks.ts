import type { ApiDocument } from '../document/model.ts';
import { ownDocument } from '../document/own-document.ts';
import { ruleChecks } from '../own-api/rule-checks.ts';
import { exploredChecks } from '../plan/explored-checks.ts';
import { inOtherWays } from '../plan/in-other-ways.ts';
import { relationChecks } from '../relations/index.ts';
import { replayChecks } from '../replay/replay-checks.ts';
import type { Check } from './model.ts';

/** Every check of a document, in the order in which they run. The rules of the interface belong to the own document alone. */
export function allChecks(document: ApiDocument, seed: number, thorough = false): Check[] {
  const rules = document === ownDocument ? ruleChecks : [];
  return [
    ...replayChecks(document),
    ...rules,
    ...exploredChecks(document, seed, thorough),
    ...inOtherWays(relationChecks(document, seed), document, seed, thorough),
  ];
}
