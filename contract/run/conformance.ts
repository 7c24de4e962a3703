/**
 * The checks of the layer `conformance`: one for each operation, status and promise of the document, and what all responses
 * of a run show of them. What is broken counts once: a header that is missing everywhere is one failure of each response that
 * documents it, and of no other check.
 */
import { matchOperation } from '../document/index.ts';
import type { ApiDocument, DocumentedResponse } from '../document/model.ts';
import { isJson } from '../oracle/body.ts';
import type { Violation } from '../oracle/messages.ts';
import { documentedPlace, nameOf } from '../oracle/response.ts';
import { hasRelations } from '../own-api/decided-responses.ts';
import type { CheckResult, Credentials, Exchange, OwnApi } from './model.ts';
import { notRun } from './selection.ts';
import { shownExchange } from './shown-exchange.ts';

type Described = CheckResult['check'];

/** Of the faults that a body can have, the most frequent are reported. */
const mostFaults = 5;

/** What of a response is not checked once this is broken. */
const uncheckedAfter: Record<string, readonly string[]> = {
  'media-type': ['body', 'error-code', 'relation', 'saved-value'],
  body: ['error-code', 'relation', 'saved-value'],
};

/** What follows from the interface document, or from decisions: of a case, the relations within it. */
const promisedElsewhere: Record<string, Pick<Described, 'source' | 'rules'>> = {
  relation: { source: 'decision', rules: ['D8', 'D28', 'D29', 'D180'] },
  'saved-value': { source: 'interface', rules: ['4.1-O1', '3.1-S1', '3.1-S2'] },
};

const titles: Record<string, string> = {
  status: 'no status is returned but those of the document',
  'media-type': 'the media type is documented',
  body: 'the body matches its schema',
  'error-code': 'the error code belongs to the status',
  relation: 'the fields of the body agree with one another',
  'saved-value': 'enabled is what was saved last, throughout the run',
};

/** The operation of responses to requests that call none. */
const service = nameOf(undefined);

/** Why a documented response has no result: other checks say why they could not provoke it. */
const neverSeen = 'no such response was seen';
const neverChecked = 'each such response breaks what is checked before';

/** Whether a check of this layer may be left not run: other checks have failed, or say why they were not run. */
export function mayBeUnseen(reason: string): boolean {
  return reason === neverSeen || reason === neverChecked;
}

/** What the document promises, by the place in it: an operation, or a response of one or of the service. */
function promisedPlaces({ operations, serviceResponses }: ApiDocument, isOwn: boolean) {
  const ofOperations = operations.map(({ operationId, responses }) => ({ operation: operationId, responses }));
  return [...ofOperations, { operation: service, responses: serviceResponses }].flatMap(({ operation, responses }) => [
    { operation, place: operation, promises: ['status'] },
    ...Object.entries(responses).map(([status, response]) => ({
      operation,
      place: `${operation}.${status}`,
      promises: promisesOf(operation, status, response, isOwn),
    })),
  ]);
}

/** What the document promises of a response, as the ids of checks name it. @param isOwn whether decisions hold for it */
function promisesOf(operation: string, status: string, { headers, content }: DocumentedResponse, isOwn: boolean) {
  const isSuccess = /^2/.test(status);
  const json = Object.entries(content).find(([mediaType]) => isJson(mediaType))?.[1];
  const examples = isOwn ? Object.values(json?.examples ?? {}) : [];
  const hasCodes = examples.some(({ value }) => typeof value === 'object' && value !== null && 'error_code' in value);
  return [
    ...Object.keys(headers).map((name) => `header.${name}`),
    ...(Object.keys(content).length > 0 ? ['media-type'] : []),
    'body',
    ...(hasCodes && !isSuccess ? ['error-code'] : []),
    ...(isSuccess && isOwn && hasRelations(operation) ? ['relation'] : []),
    ...(isSuccess && isOwn && operation === 'getVerificationSetting' ? ['saved-value'] : []),
  ];
}

/** @param place as in `getCase.404`; of the promise `status`, the operation */
function conformanceCheck(place: string, promise: string): Described {
  const title = titles[promise] ?? `the header ${promise.replace(/^header\./, '')} is as documented`;
  const [operation = ''] = place.split('.');
  return {
    id: `conformance.${place}.${promise}`,
    layer: 'conformance',
    ...(operation !== service && { operation }),
    ...(promisedElsewhere[promise] ?? { source: 'document', rules: [] }),
    title: `${place.replace('.', ' ')}: ${title}`,
  };
}

/** The checks of what holds of all responses of a kind, by the promise that they are about. */
function responseRuleChecks(own: OwnApi | undefined): Map<string, Described> {
  const rules = Object.entries(own?.responseRules ?? {});
  return new Map(
    rules.map(([name, { source, rules: shown, title }]) => [
      `rules.${name}`,
      { id: `conformance.rules.${name}`, layer: 'conformance', source, rules: shown, title },
    ]),
  );
}

/** Every check of the layer that a run against the document can have. */
export function conformanceChecks(document: ApiDocument, own?: OwnApi): Described[] {
  const places = promisedPlaces(document, own !== undefined);
  const ofPlaces = places.flatMap(({ place, promises }) => promises.map((each) => conformanceCheck(place, each)));
  return [...ofPlaces, ...responseRuleChecks(own).values()];
}

/** What broke a promise, in how many responses, and the exchange that shows it. */
interface Fault {
  readonly message: string;
  readonly exchange: Exchange;
  readonly count: number;
}

/** What a violation breaks, as the ids of checks name it. */
function promiseOf({ rule, header, promise }: Violation): string {
  if (promise !== undefined) return `rules.${promise}`;
  return header === undefined ? rule.replace(' ', '-') : `header.${header}`;
}

/** What the responses of a run have shown so far. */
export type ConformanceRecord = ReturnType<typeof createConformanceRecord>;

/**
 * Keeps what the responses of a run show, and makes the results of the layer of it.
 * @param onBroken called for each check when its promise is broken for the first time
 */
export function createConformanceRecord(
  document: ApiDocument,
  own: OwnApi | undefined,
  credentials: Credentials,
  onBroken: (check: Described) => void = () => undefined,
) {
  /** How many responses there were, by the operation, by the place in the document and by the rule. */
  const seen = new Map<string, number>();
  /** The faults that broke a check, by what was found. */
  const broken = new Map<string, Map<string, Fault>>();
  const ruleChecks = responseRuleChecks(own);

  function note(exchange: Exchange): void {
    const { request, response } = exchange;
    if (!response) return;
    const { operation, place } = placeOf(exchange);
    const rules = own?.responseRulesOf(request, response.status) ?? [];
    for (const name of [operation, place ?? [], rules.map((rule) => `rules.${rule}`)].flat()) increment(name);
    noteViolations(exchange);
  }

  /** Adds what a response violates that is counted already. */
  function noteViolations(exchange: Exchange): void {
    const { operation, place } = placeOf(exchange);
    for (const [promise, violations] of Map.groupBy(exchange.violations, promiseOf)) {
      const unchecked = place === undefined ? [] : (uncheckedAfter[promise] ?? []);
      for (const other of unchecked) increment(`${place}.${other}.unchecked`);
      const at = promise === 'status' ? operation : (place ?? operation);
      addBroken(ruleChecks.get(promise) ?? conformanceCheck(at, promise), violations, exchange);
    }
  }

  /** A check for each promise of each response that was seen, and one for each documented response that was not. */
  function results(): CheckResult[] {
    const ofPlaces = promisedPlaces(document, own !== undefined).flatMap(({ operation, place, promises }) => {
      const isResponse = place !== operation;
      if (!seen.has(place)) return isResponse && operation !== service ? unseen(place, promises) : [];
      // A response may break more than is promised of it by name.
      const prefix = `conformance.${place}.`;
      const ids = isResponse ? [...broken.keys()].filter((id) => id.startsWith(prefix)) : [];
      const others = ids.map((id) => id.slice(prefix.length));
      return [...new Set([...promises, ...others])].map((promise) => resultOf(place, promise));
    });
    return [...ofPlaces, ...[...ruleChecks].map(([rule, check]) => result(check, seen.get(rule) ?? 0, neverSeen))];
  }

  return { note, noteViolations, results };

  function resultOf(place: string, promise: string): CheckResult {
    const exchanges = (seen.get(place) ?? 0) - (seen.get(`${place}.${promise}.unchecked`) ?? 0);
    return result(conformanceCheck(place, promise), exchanges, neverChecked);
  }

  /** @param reason why there is none, if no exchange shows it */
  function result(check: Described, exchanges: number, reason: string): CheckResult {
    if (exchanges === 0) return notRun(check, reason);
    const faults = [...(broken.get(check.id)?.values() ?? [])].sort((a, b) => b.count - a.count);
    const failures = faults
      .slice(0, mostFaults)
      .map(({ message, exchange, count }) => ({ message, count, ...shownExchange(exchange, credentials) }));
    return { check, outcome: faults.length > 0 ? 'failed' : 'passed', failures, exchanges, durationSeconds: 0 };
  }

  function placeOf({ request: { method, path }, response }: Exchange) {
    const operation = nameOf(matchOperation(document, method, path));
    return { operation, place: documentedPlace(document, method, path, response?.status ?? 0)?.place };
  }

  function increment(name: string): void {
    seen.set(name, (seen.get(name) ?? 0) + 1);
  }

  function addBroken(check: Described, violations: readonly Violation[], exchange: Exchange): void {
    const known = broken.get(check.id);
    const faults = known ?? new Map<string, Fault>();
    broken.set(check.id, faults);
    if (!known) onBroken(check);
    // The message of a status names the path, which differs.
    const messages = violations.map(({ rule, message }) =>
      rule === 'status' ? message.replace(/ for .*$/s, '') : message,
    );
    for (const message of new Set(messages)) {
      const { exchange: shown, count } = faults.get(message) ?? { exchange, count: 0 };
      const shorter = lengthOf(exchange) < lengthOf(shown) ? exchange : shown;
      faults.set(message, { message, exchange: shorter, count: count + 1 });
    }
  }
}

/** How much there is to read. Of the exchanges that show a fault, the shortest says it best, whichever comes first. */
function lengthOf({ url, request, response }: Exchange): number {
  const { headers = [], body = '' } = request;
  return url.length + headers.flat().join('').length + body.length + (response?.text.length ?? 0);
}

/** One check stands for all promises of a response, but for those that show rules. */
function unseen(place: string, promises: readonly string[]): CheckResult[] {
  const whole = { id: `conformance.${place}`, title: `${place.replace('.', ' ')}: the response is as documented` };
  const checks = [
    { ...conformanceCheck(place, 'body'), ...whole },
    ...promises.map((promise) => conformanceCheck(place, promise)).filter(({ rules }) => rules.length > 0),
  ];
  return checks.map((check) => notRun(check, neverSeen));
}
