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

/** Why a documented response has no result: other checks say why they could not provoke it. */
const neverSeen = 'no such response was seen';
const neverChecked = 'each such response breaks what is checked before';

/** Whether a check of this layer may be left not run: other checks have failed, or say why they were not run. */
export function mayBeUnseen(reason: string): boolean {
  return reason === neverSeen || reason === neverChecked;
}

/** The responses of each operation, and of the service where a request calls none. */
function documentedResponses({ operations, serviceResponses }: ApiDocument) {
  const ofOperations = operations.map(({ operationId, responses }) => ({ operation: operationId, responses }));
  return [...ofOperations, { operation: nameOf(undefined), responses: serviceResponses }];
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
    ...(operation !== 'service' && { operation }),
    ...(promisedElsewhere[promise] ?? { source: 'document', rules: [] }),
    title: `${place.replace('.', ' ')}: ${title}`,
  };
}

/** The checks of what holds of all responses of a kind, by the names of those rules. */
function responseRuleChecks(own: OwnApi | undefined): [name: string, check: Described][] {
  return Object.entries(own?.responseRules ?? {}).map(([name, { source, rules, title }]) => [
    name,
    { id: `conformance.rules.${name}`, layer: 'conformance', source, rules, title },
  ]);
}

/** Every check of the layer that a run against the document can have. */
export function conformanceChecks(document: ApiDocument, own?: OwnApi): Described[] {
  const ofResponses = documentedResponses(document).flatMap(({ operation, responses }) => [
    conformanceCheck(operation, 'status'),
    ...Object.entries(responses).flatMap(([status, response]) =>
      promisesOf(operation, status, response, own !== undefined).map((promise) =>
        conformanceCheck(`${operation}.${status}`, promise),
      ),
    ),
  ]);
  return [...ofResponses, ...responseRuleChecks(own).map(([, check]) => check)];
}

/** What broke a promise, in how many responses, and the exchange that shows it. */
interface Fault {
  readonly message: string;
  readonly exchange: Exchange;
  readonly count: number;
}

/** Keeps what the responses of a run show, and makes the results of the layer of it. */
export class ConformanceRecord {
  readonly #document: ApiDocument;
  readonly #own: OwnApi | undefined;
  readonly #credentials: Credentials;
  readonly #onBroken: (check: Described) => void;
  /** How many responses there were, by the operation and by the place in the document. */
  readonly #seen = new Map<string, number>();
  /** The faults that broke a check, by what was found. */
  readonly #broken = new Map<string, Map<string, Fault>>();

  /** @param onBroken called for each check when its promise is broken for the first time */
  constructor(
    document: ApiDocument,
    own: OwnApi | undefined,
    credentials: Credentials,
    onBroken: (check: Described) => void = () => undefined,
  ) {
    this.#document = document;
    this.#own = own;
    this.#credentials = credentials;
    this.#onBroken = onBroken;
  }

  note(exchange: Exchange): void {
    const { request, response } = exchange;
    if (!response) return;
    const { operation, place } = this.#placeOf(exchange);
    this.#count(operation);
    if (place !== undefined) this.#count(place);
    for (const rule of this.#own?.responseRulesOf(request, response.status) ?? []) this.#count(`rules.${rule}`);
    this.noteViolations(exchange);
  }

  /** Adds what a response violates that is counted already. */
  noteViolations(exchange: Exchange): void {
    if (!exchange.response) return;
    const { operation, place } = this.#placeOf(exchange);
    const broken = Map.groupBy(exchange.violations, ({ rule, header, promise }) =>
      promise === undefined ? (header === undefined ? rule.replace(' ', '-') : `header.${header}`) : `own ${promise}`,
    );
    for (const [promise, others] of Object.entries(uncheckedAfter))
      if (broken.has(promise) && place !== undefined)
        for (const other of others) this.#count(`${place}.${other}.unchecked`);
    for (const [promise, ofPromise] of broken)
      if (!promise.startsWith('own ')) {
        const at = promise === 'status' ? operation : (place ?? operation);
        this.#addBroken(conformanceCheck(at, promise), ofPromise, exchange);
      }
    for (const [name, check] of responseRuleChecks(this.#own))
      this.#addBroken(check, broken.get(`own ${name}`) ?? [], exchange);
  }

  /** A check for each promise of each response that was seen, and one for each documented response that was not. */
  results(): CheckResult[] {
    const ofResponses = documentedResponses(this.#document).flatMap(({ operation, responses }) => {
      const ofStatuses = Object.entries(responses).flatMap(([status, response]) => {
        const place = `${operation}.${status}`;
        const promises = promisesOf(operation, status, response, this.#own !== undefined);
        if (!this.#seen.has(place)) return operation === nameOf(undefined) ? [] : unseen(place, promises);
        // A response may break more than is promised of it by name.
        const prefix = `conformance.${place}.`;
        const others = [...this.#broken.keys()].filter((id) => id.startsWith(prefix));
        return [...new Set([...promises, ...others.map((id) => id.slice(prefix.length))])].map((promise) =>
          this.#resultOf(place, promise),
        );
      });
      return this.#seen.has(operation) ? [this.#resultOf(operation, 'status'), ...ofStatuses] : ofStatuses;
    });
    const ofRules = responseRuleChecks(this.#own);
    return [
      ...ofResponses,
      ...ofRules.map(([name, check]) => this.#result(check, this.#seen.get(`rules.${name}`) ?? 0, neverSeen)),
    ];
  }

  #resultOf(place: string, promise: string): CheckResult {
    const exchanges = (this.#seen.get(place) ?? 0) - (this.#seen.get(`${place}.${promise}.unchecked`) ?? 0);
    return this.#result(conformanceCheck(place, promise), exchanges, neverChecked);
  }

  /** @param reason why there is none, if no exchange shows it */
  #result(check: Described, exchanges: number, reason: string): CheckResult {
    if (exchanges === 0) return notRun(check, reason);
    const faults = [...(this.#broken.get(check.id)?.values() ?? [])].sort((a, b) => b.count - a.count);
    return {
      check,
      outcome: faults.length > 0 ? 'failed' : 'passed',
      failures: faults
        .slice(0, mostFaults)
        .map(({ message, exchange, count }) => ({ message, count, ...shownExchange(exchange, this.#credentials) })),
      exchanges,
      durationSeconds: 0,
    };
  }

  #placeOf({ request: { method, path }, response }: Exchange) {
    const operation = nameOf(matchOperation(this.#document, method, path));
    return { operation, place: documentedPlace(this.#document, method, path, response?.status ?? 0)?.place };
  }

  #count(name: string): void {
    this.#seen.set(name, (this.#seen.get(name) ?? 0) + 1);
  }

  #addBroken(check: Described, violations: readonly Violation[], exchange: Exchange): void {
    if (violations.length === 0) return;
    const known = this.#broken.get(check.id);
    const faults = known ?? new Map<string, Fault>();
    this.#broken.set(check.id, faults);
    if (!known) this.#onBroken(check);
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

/**
 * How much there is to read. Which exchange comes first depends on how fast each of those is that run beside one another; of
 * those that show a fault, the shortest says it best.
 */
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
