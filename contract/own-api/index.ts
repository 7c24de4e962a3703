/** What this API promises beyond its document, as the runs, which know any document, ask for it. */
import type { ApiDocument } from '../document/model.ts';
import { isOwnApi, ownDocument } from '../document/own-document.ts';
import type { OwnApi } from '../run/model.ts';
import { ruleChecks } from './checks.ts';
import { watchedLimits } from './limits.ts';
import { responseRules, responseRulesOf, runJudge } from './response-rules.ts';
import { interfaceRules, traceRules } from './rules.ts';

/** Undefined for the documents of others. The rules of the interface belong to the very document alone. */
export function ownApiOf(document: ApiDocument): OwnApi | undefined {
  if (!isOwnApi(document)) return undefined;
  const rules = document === ownDocument ? interfaceRules : [];
  return {
    checks: document === ownDocument ? ruleChecks : [],
    responseRules,
    responseRulesOf: (request, status) => responseRulesOf(document, request, status),
    trace: (results, promises) => {
      const shown = rules.filter(({ source }) => promises.includes(source));
      return traceRules(shown, results);
    },
    watch: (credentials, names) => {
      const [violationsIn, sendingToLimit] = [runJudge(document, credentials), watchedLimits()];
      return (request, limit) => {
        // What counts against an address is not watched: it may be another one for the server.
        const counted = sendingToLimit(names.has(limit) ? limit : undefined);
        return (response) => [...violationsIn(request, response), ...counted(response)];
      };
    },
  };
}
