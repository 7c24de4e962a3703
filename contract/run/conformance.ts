/**
 * The checks of the layer `conformance`: one for each operation, status and promise of the document, and what all responses
 * of a run show of them. What is broken counts once: a header that is missing everywhere is one failure of each response that
 * documents it, and of no other check.
 */
import { matchOperation } from '../document/index.ts';
import type { ApiDocument, DocumentedResponse } from '../document/model.ts';
import { isOwnApi } from '../document/own-document.ts';
import { isJson } from '../oracle/body.ts';
import { isObject } from '../oracle/json.ts';
import type { Violation } from '../oracle/messages.ts';
import { documentedPlace, nameOf } from '../oracle/response.ts';
import { responseRules, responseRulesOf, runJudge } from '../own-api/response-rules.ts';
import { sourceOf } from '../own-api/rules.ts';
import { watchedLimits } from './limits.ts';
import { namesOf } from './mask.ts';
import type { CheckResult, Credentials, Exchange, HttpResponse, RequestSpec } from './model.ts';
import { notRun } from './selection.ts';
import { shownExchange } from './shown-exchange.ts';

type Described = CheckResult['check'];

/** Of the faults that a body can have, the most frequent are reported. */
const mostFaults = 5;

/** What of a response is not checked once this is broken. */
const uncheckedAfter: Record<string, readonly string[]> = {
  'media-type': ['body', 'error-code'],
  body: ['error-code'],
};

const titles: Record<string, string> = {
  status: 'no status is returned but those of the document',
  'media-type': 'the media type is documented',
  body: 'the body matches its schema',
  'error-code': 'the error code belongs to the status',
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
function promisedPlaces({ operations, serviceResponses }: ApiDocument, isOwn: boolean): [string, string[]][] {
  const all = [...operations, { operationId: service, responses: serviceResponses }];
  return all.flatMap(({ operationId, responses }): [string, string[]][] => [
    [operationId, ['status']],
    ...Object.entries(responses).map(([status, response]): [string, string[]] => [
      `${operationId}.${status}`,
      promisesOf(response, isOwn && !status.startsWith('2')),
    ]),
  ]);
}

/** What the document promises of a response, as the ids of checks name it. */
function promisesOf({ headers, content }: DocumentedResponse, mayHaveCodes: boolean): string[] {
  const json = Object.entries(content).find(([mediaType]) => isJson(mediaType))?.[1];
  const hasCodes = Object.values(json?.examples ?? {}).some(({ value }) => isObject(value) && 'error_code' in value);
  return [
    ...Object.keys(headers).map((name) => `header.${name}`),
    ...(Object.keys(content).length > 0 ? ['media-type'] : []),
    'body',
    ...(mayHaveCodes && hasCodes ? ['error-code'] : []),
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
    source: 'document',
    rules: [],
    title: `${place.replace('.', ' ')}: ${title}`,
  };
}

/** A check, with what the responses so far have shown of it. */
interface Entry {
  readonly check: Described;
  exchanges: number;
  /** By what was found. */
  readonly faults: Map<string, Fault>;
}

/** What broke a promise, in how many responses, and the exchange that shows it. */
interface Fault {
  readonly message: string;
  readonly exchange: Exchange;
  readonly count: number;
}

const entryOf = (check: Described): Entry => ({ check, exchanges: 0, faults: new Map<string, Fault>() });

/** What a violation breaks, as the ids of checks name it. */
function promiseOf({ rule, header }: Violation): string {
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
  credentials: Credentials,
  onBroken: (check: Described) => void = () => undefined,
) {
  const isOwn = isOwnApi(document);
  const [names, violationsIn, sendingToLimit] = [
    namesOf(credentials),
    runJudge(document, credentials),
    watchedLimits(new Set(Object.values(credentials.spares ?? {}).flat())),
  ];
  const places = new Map(
    promisedPlaces(document, isOwn).map(([place, promises]) => [
      place,
      new Map(promises.map((promise) => [promise, entryOf(conformanceCheck(place, promise))])),
    ]),
  );
  /** What holds of all responses of a kind. */
  const rules = new Map(
    Object.entries(isOwn ? responseRules : {}).map(([name, { rules: shown, title }]) => {
      const source = sourceOf(shown[0]);
      return [name, entryOf({ id: `conformance.rules.${name}`, layer: 'conformance', source, rules: shown, title })];
    }),
  );

  return {
    /**
     * Called as a request is sent; what it returns judges the response beside those before it.
     * @param limit what the request counts against: the secret of a credential, or something else
     */
    watch(request: RequestSpec, limit: string): (response: HttpResponse) => Violation[] {
      if (!isOwn) return () => [];
      // What counts against an address is not watched: it may be another one for the server.
      const counted = sendingToLimit(names.has(limit) ? limit : undefined);
      return (response) => [...violationsIn(request, response), ...counted(response)];
    },

    note(exchange: Exchange): void {
      const { request, response, violations } = exchange;
      if (!response) return;
      const operation = nameOf(matchOperation(document, request.method, request.path));
      const place = documentedPlace(document, request.method, request.path, response.status)?.place;
      const broken = Map.groupBy(violations, promiseOf);
      const promises = [
        ...['status', ...(place === undefined ? [] : (places.get(place)?.keys() ?? []))],
        ...(isOwn ? responseRulesOf(document, request, response.status) : []),
      ];
      const unchecked = new Set([...broken.keys()].flatMap((promise) => uncheckedAfter[promise] ?? []));
      for (const promise of new Set([...promises, ...broken.keys()]).difference(unchecked)) {
        const entry = rules.get(promise) ?? entryAt(promise === 'status' ? operation : (place ?? operation), promise);
        entry.exchanges += 1;
        const found = broken.get(promise) ?? [];
        if (found.length > 0 && entry.faults.size === 0) onBroken(entry.check);
        for (const message of new Set(found.map(messageOf))) addFault(entry, message, exchange);
      }
    },

    /** A check for each promise of each response that was seen, and one for each documented response that was not. */
    results(): CheckResult[] {
      const ofPlaces = [...places].flatMap(([place, promised]) => {
        const entries = [...promised.values()];
        if (entries.some(({ exchanges }) => exchanges > 0)) return entries.map((each) => resultOf(each, neverChecked));
        if (promised.has('status') || place.startsWith(`${service}.`)) return [];
        // One check stands for all promises of a response.
        const title = `${place.replace('.', ' ')}: the response is as documented`;
        return [notRun({ ...conformanceCheck(place, 'body'), id: `conformance.${place}`, title }, neverSeen)];
      });
      return [...ofPlaces, ...[...rules.values()].map((each) => resultOf(each, neverSeen))];
    },
  };

  /** A response may break more than is promised of it by name. */
  function entryAt(place: string, promise: string): Entry {
    const entries = places.get(place) ?? new Map<string, Entry>();
    const entry = entries.get(promise) ?? entryOf(conformanceCheck(place, promise));
    places.set(place, entries.set(promise, entry));
    return entry;
  }

  /** @param reason why there is none, if no exchange shows it */
  function resultOf({ check, exchanges, faults }: Entry, reason: string): CheckResult {
    if (exchanges === 0) return notRun(check, reason);
    const failures = [...faults.values()]
      .sort((a, b) => b.count - a.count)
      .slice(0, mostFaults)
      .map(({ message, exchange, count }) => ({ message, count, ...shownExchange(exchange, credentials) }));
    return { check, outcome: faults.size > 0 ? 'failed' : 'passed', failures, exchanges, durationSeconds: 0 };
  }
}

function addFault({ faults }: Entry, message: string, exchange: Exchange): void {
  const { exchange: shown, count } = faults.get(message) ?? { exchange, count: 0 };
  const shorter = lengthOf(exchange) < lengthOf(shown) ? exchange : shown;
  faults.set(message, { message, exchange: shorter, count: count + 1 });
}

/** The message of a status names the path, which differs. */
function messageOf({ rule, message }: Violation): string {
  return rule === 'status' ? message.replace(/ for .*$/s, '') : message;
}

/** How much there is to read. Of the exchanges that show a fault, the shortest says it best, whichever comes first. */
function lengthOf({ url, request, response }: Exchange): number {
  const { headers = [], body = '' } = request;
  return url.length + headers.flat().join('').length + body.length + (response?.text.length ?? 0);
}
