/**
 * What all responses of a run break of the document, counted once for each operation, status and promise: a header that is
 * missing everywhere is one failure of each response that documents it, and of no other check.
 */
import type { Violation } from '../oracle/messages.ts';
import { documentedPlace, nameOf } from '../oracle/response.ts';
import { matchOperation } from '../document/index.ts';
import type { ApiDocument } from '../document/model.ts';
import { isOwnApi } from '../document/own-document.ts';
import { responseRulesOf } from '../own-api/response-rules.ts';
import { conformanceCheck, documentedResponses, promisesOf, responseRuleChecks } from './conformance-checks.ts';
import type { CheckResult, Credentials, Exchange, Failure } from './model.ts';
import { shownExchange } from './shown-exchange.ts';

/** Of the faults that a body can have, the most frequent are reported. */
const mostFaults = 5;

/** What of a response is not checked once this is broken. */
const uncheckedAfter: Record<string, readonly string[]> = {
  'media-type': ['body', 'error-code', 'relation', 'saved-value'],
  body: ['error-code', 'relation', 'saved-value'],
};

/** What broke a promise, in how many responses, and the exchange that shows it. */
interface Fault {
  readonly message: string;
  readonly exchange: Exchange;
  readonly count: number;
}

/** The faults that broke a promise, by what was found. */
type Faults = Map<string, Fault>;

/** Keeps what the responses of a run show, and makes the results of the layer `conformance` of it. */
export class ConformanceRecord {
  readonly #document: ApiDocument;
  readonly #credentials: Credentials;
  readonly #onBroken: (check: CheckResult['check']) => void;
  /** How many responses there were, by the operation and by the place in the document. */
  readonly #seen = new Map<string, number>();
  readonly #broken = new Map<string, Faults>();

  /** @param onBroken called for each check when its promise is broken for the first time */
  constructor(
    document: ApiDocument,
    credentials: Credentials,
    onBroken: (check: CheckResult['check']) => void = () => undefined,
  ) {
    this.#document = document;
    this.#credentials = credentials;
    this.#onBroken = onBroken;
  }

  note(exchange: Exchange): void {
    const { request, response } = exchange;
    if (!response) return;
    const found = documentedPlace(this.#document, request.method, request.path, response.status);
    this.#count(nameOf(matchOperation(this.#document, request.method, request.path)));
    if (found) this.#count(found.place);
    for (const rule of isOwnApi(this.#document) ? responseRulesOf(this.#document, request, response.status) : [])
      this.#count(`rules.${rule}`);
    this.noteViolations(exchange);
  }

  /** Adds what a response violates that is counted already. */
  noteViolations(exchange: Exchange): void {
    const { request, response, violations } = exchange;
    if (!response) return;
    const operation = nameOf(matchOperation(this.#document, request.method, request.path));
    const found = documentedPlace(this.#document, request.method, request.path, response.status);
    const broken = new Map<string, Violation[]>();
    for (const violation of violations.filter(({ promise }) => promise === undefined))
      broken.set(promiseOf(violation), [...(broken.get(promiseOf(violation)) ?? []), violation]);
    if (found)
      for (const [promise, others] of Object.entries(uncheckedAfter))
        if (broken.has(promise)) for (const other of others) this.#count(`${found.place}.${other}.unchecked`);
    for (const [promise, ofPromise] of broken)
      this.#addBroken(
        conformanceCheck(promise === 'status' ? operation : (found?.place ?? operation), promise),
        ofPromise,
        exchange,
      );
    for (const [name, check] of responseRuleChecks(this.#document)) {
      const ofRule = violations.filter(({ promise }) => promise === name);
      if (ofRule.length > 0) this.#addBroken(check, ofRule, exchange);
    }
  }

  /** A check for each promise of each response that was seen, and one for each documented response that was not. */
  results(): CheckResult[] {
    const ofRules = responseRuleChecks(this.#document).map(([name, check]) =>
      this.#resultOf(check, this.#seen.get(`rules.${name}`) ?? 0, neverSeen),
    );
    const ofResponses = documentedResponses(this.#document).flatMap(({ operation, isService, responses }) => {
      const ofStatuses = Object.entries(responses).flatMap(([status, response]): CheckResult[] => {
        const place = `${operation}.${status}`;
        const promises = [
          ...new Set([
            ...promisesOf(operation, status, response, isOwnApi(this.#document)),
            ...this.#foundBroken(place),
          ]),
        ];
        if (this.#seen.has(place)) return promises.map((promise) => this.#result(place, promise));
        return isService ? [] : unseen(place, promises);
      });
      return this.#seen.has(operation) ? [this.#result(operation, 'status'), ...ofStatuses] : ofStatuses;
    });
    return [...ofResponses, ...ofRules];
  }

  /** A response may break more than is promised of it by name. */
  #foundBroken(place: string): string[] {
    const prefix = `conformance.${place}.`;
    return [...this.#broken.keys()].filter((id) => id.startsWith(prefix)).map((id) => id.slice(prefix.length));
  }

  #result(place: string, promise: string): CheckResult {
    const exchanges = (this.#seen.get(place) ?? 0) - (this.#seen.get(`${place}.${promise}.unchecked`) ?? 0);
    return this.#resultOf(conformanceCheck(place, promise), exchanges, neverChecked);
  }

  /** @param reason why there is none, if no exchange shows it */
  #resultOf(check: CheckResult['check'], exchanges: number, reason: string): CheckResult {
    const faults = [...(this.#broken.get(check.id)?.values() ?? [])];
    if (exchanges === 0) return notRun(check, reason);
    return {
      check,
      outcome: faults.length > 0 ? 'failed' : 'passed',
      failures: faults
        .sort((a, b) => b.count - a.count)
        .slice(0, mostFaults)
        .map((fault) => this.#failureOf(fault)),
      exchanges,
      durationSeconds: 0,
    };
  }

  #failureOf({ message, exchange, count }: Fault): Failure {
    return { message, count, ...shownExchange(exchange, this.#credentials) };
  }

  #count(name: string): void {
    this.#seen.set(name, (this.#seen.get(name) ?? 0) + 1);
  }

  #addBroken(check: CheckResult['check'], violations: readonly Violation[], exchange: Exchange): void {
    const known = this.#broken.get(check.id);
    const faults: Faults = known ?? new Map();
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

/** What of a response a violation breaks, as the ids of checks say it. */
function promiseOf({ rule, header }: Violation): string {
  return header === undefined ? rule.replace(' ', '-') : `header.${header}`;
}

/** One check stands for all promises of a response, but for those that show rules. */
function unseen(place: string, promises: readonly string[]): CheckResult[] {
  const whole = { id: `conformance.${place}`, title: `${place.replace('.', ' ')}: the response is as documented` };
  const checks = [
    { ...conformanceCheck(place, 'body'), ...whole },
    ...promises.map((promise) => conformanceCheck(place, promise)),
  ];
  return checks.filter(({ id, rules }) => id === whole.id || rules.length > 0).map((check) => notRun(check, neverSeen));
}

function notRun(check: CheckResult['check'], reason: string): CheckResult {
  return { check, outcome: 'not run', reason, failures: [], exchanges: 0, durationSeconds: 0 };
}

/** Why a documented response has no result: other checks say why they could not provoke it. */
const neverSeen = 'no such response was seen';
const neverChecked = 'each such response breaks what is checked before';

/** Whether a check of this layer may be left not run: other checks have failed, or say why they were not run. */
export function mayBeUnseen(reason: string): boolean {
  return reason === neverSeen || reason === neverChecked;
}
