import { generatedChecks } from '../checks/index.ts';
import type { ApiDocument } from '../document/model.ts';
import { ownDocument } from '../document/own-document.ts';
import { ruleChecks } from '../interface/index.ts';
import { replayChecks } from '../replay/replay-checks.ts';
import type { Check } from './model.ts';

/** Every check of a document, in the order in which they run. The rules of the interface belong to the own document alone. */
export function allChecks(document: ApiDocument, seed: number): Check[] {
  const rules = document === ownDocument ? ruleChecks : [];
  return [...replayChecks(document), ...rules, ...generatedChecks(seed, document)];
}
