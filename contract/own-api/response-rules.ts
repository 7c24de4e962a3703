/** What holds of every response of a kind, beyond what a document can say: rows that are judged on each, whoever asked for it. */
import { allowedMethods, matchOperation } from '../document/index.ts';
import type { ApiDocument, Operation, Schema } from '../document/model.ts';
import type { Expected } from '../oracle/expected.ts';
import { parsed, repeatedName, told } from '../oracle/json.ts';
import { tellingHeaders } from '../oracle/judge.ts';
import type { HttpResponse, Violation } from '../oracle/messages.ts';
import { isPublic } from '../oracle/request.ts';
import { schemaViolations } from '../oracle/schema.ts';
import { limitStatedBy, policyStatedBy } from '../run/limits.ts';
import type { Check, Credentials, RequestSpec } from '../run/model.ts';
import { caseFieldsFault, caseRelationsFault, caseSizesFault, objectOf } from './cases.ts';

/** Where the service publishes its documentation (decision D80), in addition to the documented operations. */
export const documentationPaths = ['/docs/', '/openapi.json', '/openapi.yaml'];

/** Whether a path is that of a public file that the document does not describe. */
export function isPublishedFile(path: string): boolean {
  const [plain = ''] = path.split('?');
  return documentationPaths.includes(plain) || /^\/(docs|thumbnails)\//.test(plain);
}

interface Judged {
  readonly request: RequestSpec;
  readonly response: HttpResponse;
  readonly document: ApiDocument;
  readonly operation: Operation | undefined;
  /** The value of the body, if it is as the document describes it. */
  readonly sound: unknown;
}

/** What the responses of a run have shown so far. */
interface Run {
  readonly region: string | undefined;
  realm?: string | undefined;
  readonly requestIds: Set<string>;
  readonly gets: Map<string, HttpResponse['headers']>;
}

interface ResponseRule extends Pick<Check, 'rules' | 'title'> {
  /** The operations and statuses, as in `getCase.200`, if not all. */
  readonly of?: RegExp;
  /** What is wrong with a response, also in a proxy. */
  readonly fault?: (judged: Judged) => string | undefined;
  /** In a run, what is wrong with the JSON of a body; none comes with HEAD. */
  readonly bodyFault?: (body: unknown, response: HttpResponse) => string | undefined;
  /** In a run, what is wrong with a response to this request, beside those before. */
  readonly runFault?: (judged: Judged, run: Run) => string | undefined;
}

const word: Schema = { type: 'string', minLength: 1 };
const errorFields = { error_code: word, error_message: word };
const error = objectOf({ ...errorFields, error_details: { type: 'object' } }, Object.keys(errorFields));

const internals =
  /sqlite|\bsql\b|no such (table|column)|taken_away|node_modules|\bat \S+ \(|\.[cm]?[jt]s\b|\/(home|tmp|usr|var)\//i;
const numbered = (section: string, count: number) =>
  Array.from({ length: count }, (_none, index) => `${section}-F${index + 1}`);

/** By the name of the promise, as the ids of the layer `conformance` have it. */
export const responseRules: Readonly<Record<string, ResponseRule>> = {
  'error-object': {
    rules: [...numbered('2.5', 3), '7-E1'],
    title: 'the body is the error object of the interface document',
    of: /^(?!service)\w+\.[45]..$|^service\.40[45]$/,
    bodyFault: errorFault,
  },
  'case-fields': {
    rules: [...numbered('2.3', 11), ...numbered('2.4', 7), '3.2-S1', '3.3-S1', '3.4-S1'],
    title: 'the case and its files have the fields of the interface document',
    of: /^getCase\.200$/,
    bodyFault: caseFieldsFault,
  },
  'case-sizes': {
    rules: ['D6', 'D7', 'D30'],
    title: 'files have all of their fields, and labels and metadata are within their limits',
    of: /^getCase\.200$/,
    bodyFault: caseSizesFault,
  },
  'case-relations': {
    rules: ['D8', 'D28', 'D29', 'D180'],
    title: 'the fields of the case and its files agree with one another',
    of: /^getCase\.200$/,
    fault: ({ sound }) => (sound === undefined ? undefined : caseRelationsFault(sound)),
  },
  'body-once': {
    rules: ['D12'],
    title: 'no object of a body has a member twice, and an error names the first of its fields',
    fault: ({ sound, response }) => {
      if (sound === undefined) return undefined;
      const repeated = repeatedName(response.text);
      if (repeated !== undefined) return `the body has the member ${repeated} twice in one object`;
      const { error_details: details } = (sound ?? {}) as {
        error_details?: { field?: string; errors?: { field: string }[] };
      };
      const [first] = details?.errors ?? [];
      return first && details?.field !== first.field
        ? 'error_details.field is not the first field that error_details.errors names'
        : undefined;
    },
  },
  internals: {
    rules: ['D10'],
    title: 'an internal failure discloses no internals',
    of: /\.5..$/,
    runFault: ({ response: { text: body } }) =>
      internals.test(body) ? `expected no internals of the server, got ${told(body)}` : undefined,
  },
  challenge: {
    rules: ['D23'],
    title: 'the challenge names the scheme, the region, and an error only if a token was sent',
    of: /^(?!service)\w+\.401$/,
    runFault: challengeFault,
  },
  limit: {
    rules: ['D32'],
    title: 'RateLimit and RateLimit-Policy agree about the limit that counts, and a 429 says when to retry',
    of: /^(?!service)\w+\.(2..|4..)$/,
    runFault: limitFault,
  },
  // Watched by run/limits.ts.
  remainder: {
    rules: ['D32', 'D186'],
    title: 'RateLimit falls with each request of a credential, and its window ends at a fixed time',
    of: /^(?!service)\w+\.(2..|4..)$/,
  },
  allow: {
    rules: ['D17'],
    title: 'Allow lists exactly the methods of the path, and HEAD if it has GET',
    of: /\.405$/,
    fault: ({ document, request: { path }, response: { headers } }) => {
      const [promised, allow = ''] = [allowedMethods(document, path), headers['allow']];
      const isSame = new Set(promised).symmetricDifference(new Set(allow.split(/[ \t]*,[ \t]*/))).size === 0;
      return isSame || promised.length === 0
        ? undefined
        : `expected ${promised.join(', ')} in Allow, got ${told(allow)}`;
    },
  },
  head: {
    rules: ['D17'],
    title: 'HEAD has the headers of GET',
    runFault: headFault,
  },
  'request-id': {
    rules: ['D36'],
    title: 'a well-formed X-Request-Id is returned, and any other is replaced by a unique one',
    runFault: requestIdFault,
  },
  'other-origins': {
    rules: ['D181'],
    title: 'pages of other origins are permitted nothing',
    runFault: ({ response }) => {
      const permission = Object.keys(response.headers).find((name) => name.startsWith('access-control-allow-'));
      return permission && `expected no Access-Control-Allow-*, got ${permission}`;
    },
  },
};

/** The names of the rules about a response. */
export function responseRulesOf(document: ApiDocument, { method, path }: RequestSpec, status: number): string[] {
  const place = `${matchOperation(document, method, path)?.operationId ?? 'service'}.${status}`;
  return Object.keys(responseRules).filter((name) => responseRules[name]?.of?.test(place) ?? true);
}

/** What breaks a rule in a response alone. @param sound the value of its body, if it is as the document describes it */
export function ruleViolations(
  document: ApiDocument,
  request: RequestSpec,
  response: HttpResponse,
  sound: unknown,
): Violation[] {
  return judge(document, request, response, sound, ({ fault }, judged) => fault?.(judged));
}

/** Judges the responses of a run. @returns what is to be called with each, for what else breaks a rule */
export function runJudge(document: ApiDocument, { region }: Pick<Credentials, 'region'>) {
  const run: Run = { region, requestIds: new Set(), gets: new Map() };
  return (request: RequestSpec, response: HttpResponse) =>
    judge(document, request, response, undefined, ({ bodyFault, runFault }, judged) => {
      const ofBody = request.method === 'HEAD' ? undefined : bodyFault;
      return runFault?.(judged, run) ?? ofBody?.(parsed(response.text), response);
    });
}

function judge(
  document: ApiDocument,
  request: RequestSpec,
  response: HttpResponse,
  sound: unknown,
  faultOf: (rule: ResponseRule, judged: Judged) => string | undefined,
): Violation[] {
  const operation = matchOperation(document, request.method, request.path);
  const judged = { request, response, document, operation, sound };
  return responseRulesOf(document, request, response.status).flatMap((rule) => {
    const message = faultOf(responseRules[rule] as ResponseRule, judged);
    return message === undefined ? [] : [{ rule, message }];
  });
}

function errorFault(body: unknown): string | undefined {
  return schemaViolations('the error object', error, body, true)[0];
}

/** What is wrong with a refusal of which the interface document names neither status nor, but for one, the code. */
export function refusalFault(
  { code, promise }: Expected,
  { method, status, text: body }: HttpResponse & { method: string },
) {
  const [least, what] = promise === 'failure' ? [500, 'a failure'] : [400, 'a refusal'];
  if (status < least || status >= least + 100) return `expected ${what}, got ${status}`;
  if (method === 'HEAD') return undefined;
  const fault = errorFault(parsed(body));
  if (fault !== undefined || code !== 'request.cases.case.not-found' || status === 403) return fault;
  const { error_code: came } = parsed(body) as { error_code: string };
  return came === code ? undefined : `expected the error code ${code}, got ${came}`;
}

function sentIn({ headers = [] }: RequestSpec, name: RegExp): string[] {
  return headers.filter(([each]) => name.test(each)).map(([, value]) => value);
}

function challengeFault({ request, response, document, operation }: Judged, run: Run): string | undefined {
  const { region = '(uk|ca)' } = run;
  const challenge = response.headers['www-authenticate'] ?? '';
  const types = (operation?.security ?? []).flat().map((name) => document.securitySchemes[name]?.type);
  const schemes = [...new Set(types.map((type) => (type === 'apiKey' ? 'ApiKey' : 'Bearer')))];
  const scheme = schemes.find((name) => challenge.startsWith(`${name} `));
  if (scheme === undefined) return `expected a challenge of ${schemes.join(' or ')}, got ${told(challenge)}`;
  const realm = /realm="([^"]*)"/i.exec(challenge)?.[1] ?? '';
  run.realm ??= new RegExp(`^document-analysis-${region}$`).test(realm) ? realm : undefined;
  if (realm !== run.realm) return `expected the realm ${run.realm ?? `document-analysis-${region}`}, got ${realm}`;
  const sent = sentIn(request, /^authorization$/i);
  if (scheme === 'ApiKey' || sent.length > 1) return undefined;
  const isNamed = challenge.includes('error="invalid_token"');
  if (sent.length === 0 && challenge.includes('error=')) return 'expected no error without a token';
  return /^Bearer \S+$/.test(sent[0] ?? '') && !isNamed ? 'expected the error invalid_token' : undefined;
}

/** Where the headers are absent, the promise of the document is broken, not this one. */
function limitFault({ request, response, operation }: Judged): string | undefined {
  const { status, headers } = response;
  const [policy, limit] = [policyStatedBy(response), limitStatedBy(response)];
  if (policy && limit) {
    const ofCaller = operation && isPublic(operation) ? 'public' : 'credential';
    const usual = status === 401 ? 'failed-authentication' : ofCaller;
    // A credential that is revoked while its request is on its way may have been counted before.
    const mayBeEither = status === 429 || (status === 401 && request.wire?.restAfter !== undefined);
    const name = mayBeEither ? policy.name : usual;
    const agrees = limit.name === name && policy.name === name && limit.seconds <= policy.windowSeconds;
    if (!agrees || limit.left >= policy.quota || (status === 429 && limit.left !== 0))
      return `expected the limit "${name}" within its policy ${headers['ratelimit-policy']}, got ${headers['ratelimit']}`;
  }
  if (status !== 429) return undefined;
  // The window ends at a fixed time, before which nothing is left.
  const [least, most] = [
    Math.max(1, (limit?.seconds ?? 0) - 1),
    Math.min(policy?.windowSeconds ?? Infinity, (limit?.seconds ?? Infinity) + 1),
  ];
  const seconds = Number(headers['retry-after']);
  if (!(seconds >= least && seconds <= most))
    return `expected a Retry-After from ${least} to ${most}, got ${told(headers['retry-after'])}`;
  const { error_code: code } = (parsed(response.text) ?? {}) as { error_code?: unknown };
  return request.method === 'HEAD' || code === 'request.rate-limit.exceeded'
    ? undefined
    : `expected the error code request.rate-limit.exceeded, got ${told(code)}`;
}

function requestIdFault({ request, response }: Judged, { requestIds }: Run): string | undefined {
  const came = response.headers['x-request-id'];
  const sent = sentIn(request, /^x-request-id$/i).map((value) => value.trim());
  const [only = ''] = sent;
  if (came === undefined || sent.length > 1) return undefined;
  // Of a header section that is too large, nothing need have been read.
  if (/^[A-Za-z0-9._~-]{1,128}$/.test(only))
    return came === only || response.status === 431 ? undefined : `expected X-Request-Id ${only}, got ${came}`;
  if (sent.length === 1 && came === only) return `expected another X-Request-Id than ${only}`;
  const isKnown = requestIds.has(came);
  requestIds.add(came);
  return isKnown ? `expected a unique X-Request-Id, got ${came} again` : undefined;
}

/** Headers that HEAD may omit (RFC 9110, section 9.3.2). */
const omissible = /^(content-length|etag|last-modified)$/;

/** Headers that tell what a response is: gateways add others to single responses. Those of a success change with what is stored. */
function headFault({ request, response }: Judged, { gets }: Run): string | undefined {
  const { method, path, headers = [] } = request;
  const credential = headers.filter(([name]) => /^(x-api-key|authorization)$/i.test(name));
  const sent = credential.map(([name, value]) => `${name.toLowerCase()}: ${value}`);
  const key = [response.status, path.replace(/\?.*/s, ''), ...sent].join('\n');
  if (method === 'GET' && headers.length === credential.length) gets.set(key, response.headers);
  const got = gets.get(key);
  if (method !== 'HEAD' || !got) return undefined;
  const differing = [...tellingHeaders, 'content-length'].filter((name) => {
    const [ofHead, ofGet] = [response.headers[name], got[name]];
    if (omissible.test(name) && (ofHead === undefined || ofGet === undefined)) return false;
    const changes = omissible.test(name) && response.status < 300;
    return changes ? ofHead === '0' && ofGet !== '0' : ofHead !== ofGet;
  });
  return differing.length === 0 ? undefined : `expected the headers of GET, got differences in ${differing.join(', ')}`;
}
