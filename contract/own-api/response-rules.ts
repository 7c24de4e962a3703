/** What holds of every response of a kind: rows that are judged on all responses of a run, whichever check asked for them. */
import { parsed, told } from '../oracle/json.ts';
import { documentedPlace, nameOf } from '../oracle/response.ts';
import type { Violation } from '../oracle/messages.ts';
import { tellingHeaders } from '../oracle/judge.ts';
import { isPublic, isSafe } from '../oracle/request.ts';
import { schemaViolations } from '../oracle/schema.ts';
import { matchOperation } from '../document/index.ts';
import type { ApiDocument, Operation, Schema } from '../document/model.ts';
import type { Expected } from '../oracle/expected.ts';
import { limitStatedBy, policyStatedBy } from '../run/limits.ts';
import type { Check, Credentials, HttpResponse, RequestSpec } from '../run/model.ts';

interface Judged {
  readonly request: RequestSpec;
  readonly response: HttpResponse;
  readonly document: ApiDocument;
  readonly operation: Operation | undefined;
  /** As in `getCase.200`. */
  readonly place: string;
  readonly region: string | undefined;
  readonly seen: {
    realm?: string | undefined;
    readonly requestIds: Set<string>;
    writes: number;
    readonly gets: Map<string, GetHeaders>;
  };
}

/** The values of each header in the responses to a request, `undefined` where it was absent. */
interface GetHeaders {
  count: number;
  /** How many requests had changed something before the last of them. */
  writesBefore: number;
  readonly values: Map<string, Set<string | undefined>>;
}

interface ResponseRule extends Pick<Check, 'source' | 'rules' | 'title'> {
  readonly of: RegExp;
  /** What is wrong; of a response without a body, such as one to HEAD, only the headers are. Without either, others watch. */
  readonly bodyFault?: (body: unknown, judged: Judged) => string | undefined;
  readonly headerFault?: (judged: Judged) => string | undefined;
}

const text: Schema = { type: 'string' };
const word: Schema = { type: 'string', minLength: 1 };
const uuid: Schema = { type: 'string', pattern: '^[\\dA-Fa-f]{8}(-[\\dA-Fa-f]{4}){3}-[\\dA-Fa-f]{12}$' };
const time: Schema = { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\d[Tt]\\d\\d:\\d\\d:\\d\\d' };
const orNull = (schema: Schema): Schema => ({ anyOf: [schema, { type: 'null' }] });
const objectOf = (properties: Record<string, Schema>, required: string[]): Schema => {
  return { type: 'object', required, properties };
};

/** Section 2.4, which does not say whether a field may be absent, or the last one null. */
const fileFields = {
  file_id: uuid,
  label: text,
  uploaded_at: time,
  thumbnail_url: text,
  mime_type: text,
  analysis_status: word,
  analysis_completed_at: orNull(time),
};

const caseFields = {
  case_id: uuid,
  label: orNull(text),
  metadata: { type: 'object' },
  is_locked: { type: 'boolean' },
  locked_at: orNull(time),
  file_analysis_status: { enum: ['waiting_for_file_analysis', 'file_analysis_complete'] },
  file_analysis_completed_at: orNull(time),
  created_at: time,
  updated_at: time,
  files: { type: 'array', items: objectOf(fileFields, []) },
  total_files: { type: 'integer' },
} satisfies Record<string, Schema>;
const aCase = objectOf(caseFields, Object.keys(caseFields));

/** Decisions D7 and D30; a label of 255 characters may have twice as many UTF-16 units. */
const label = { type: 'string', maxLength: 255 };
const decidedFiles = { type: 'array', items: objectOf({ label }, Object.keys(fileFields)) };
const decidedCase = objectOf({ label: orNull(label), files: decidedFiles }, []);
const mostMetadataBytes = 65_536;

const errorFields = { error_code: word, error_message: word };
const error = objectOf({ ...errorFields, error_details: { type: 'object' } }, Object.keys(errorFields));

const internals =
  /sqlite|\bsql\b|no such (table|column)|taken_away|node_modules|\bat \S+ \(|\.[cm]?[jt]s\b|\/(home|tmp|usr|var)\//i;
const clockToleranceMs = 60_000;
const numbered = (section: string, count: number) =>
  Array.from({ length: count }, (_none, index) => `${section}-F${index + 1}`);

/** By the name of the promise, as the ids of the layer `conformance` have it. */
export const responseRules: Readonly<Record<string, ResponseRule>> = {
  'error-object': {
    source: 'interface',
    rules: [...numbered('2.5', 3), '7-E1'],
    title: 'the body is the error object of the interface document',
    of: /^(?!service)\w+\.[45]..$|^service\.40[45]$/,
    bodyFault: errorFault,
  },
  'case-fields': {
    source: 'interface',
    rules: [...numbered('2.3', 11), ...numbered('2.4', 7), '3.2-S1', '3.3-S1', '3.4-S1'],
    title: 'the case and its files have the fields of the interface document',
    of: /^getCase\.200$/,
    bodyFault: (body, { response }) => {
      const [fault] = schemaViolations('the case', aCase, body, true);
      if (fault !== undefined) return fault;
      const { files, total_files: total, ...fields } = body as Record<string, unknown> & { files: unknown[] };
      if (Number(total) < files.length) return `expected a total_files of ${files.length}, got ${told(total)}`;
      const latest = (Date.parse(response.headers['date'] ?? '') || Date.now()) + clockToleranceMs;
      const toCome = ['created_at', 'updated_at'].find((name) => !(Date.parse(String(fields[name])) <= latest));
      return toCome && `expected a time that has come in ${toCome}, got ${told(fields[toCome])}`;
    },
  },
  'case-sizes': {
    source: 'decision',
    rules: ['D6', 'D7', 'D30'],
    title: 'files have all of their fields, and labels and metadata are within their limits',
    of: /^getCase\.200$/,
    bodyFault: (body) => {
      const { metadata = {} } = (body ?? {}) as { metadata?: unknown };
      const bytes = Buffer.byteLength(JSON.stringify(metadata));
      const [fault] = schemaViolations('the case', decidedCase, body, true);
      if (fault !== undefined || bytes <= mostMetadataBytes) return fault;
      return `expected metadata of at most 64 KiB, got ${bytes} bytes`;
    },
  },
  internals: {
    source: 'decision',
    rules: ['D10'],
    title: 'an internal failure discloses no internals',
    of: /\.5..$/,
    headerFault: ({ response: { text: body } }) =>
      internals.test(body) ? `expected no internals of the server, got ${told(body)}` : undefined,
  },
  challenge: {
    source: 'decision',
    rules: ['D23'],
    title: 'the challenge names the scheme, the region, and an error only if a token was sent',
    of: /^(?!service)\w+\.401$/,
    headerFault: challengeFault,
  },
  limit: {
    source: 'decision',
    rules: ['D32'],
    title: 'RateLimit and RateLimit-Policy agree about the limit that counts, and a 429 says when to retry',
    of: /^(?!service)\w+\.(2..|4..)$/,
    headerFault: limitFault,
  },
  remainder: {
    source: 'decision',
    rules: ['D32', 'D186'],
    title: 'RateLimit falls with each request of a credential, and its window ends at a fixed time',
    of: /^(?!service)\w+\.(2..|4..)$/,
  },
  head: {
    source: 'decision',
    rules: ['D17'],
    title: 'HEAD has the headers of GET',
    of: /./,
    headerFault: headFault,
  },
  'request-id': {
    source: 'decision',
    rules: ['D36'],
    title: 'a well-formed X-Request-Id is returned, and any other is replaced by a unique one',
    of: /./,
    headerFault: requestIdFault,
  },
  'other-origins': {
    source: 'decision',
    rules: ['D181'],
    title: 'pages of other origins are permitted nothing',
    of: /./,
    headerFault: ({ response }) => {
      const permission = Object.keys(response.headers).find((name) => name.startsWith('access-control-allow-'));
      return permission && `expected no Access-Control-Allow-*, got ${permission}`;
    },
  },
};

/** The names of the rules about a response. */
export function responseRulesOf(document: ApiDocument, { method, path }: RequestSpec, status: number): string[] {
  const place = `${nameOf(matchOperation(document, method, path))}.${status}`;
  return Object.keys(responseRules).filter((name) => responseRules[name]?.of.test(place));
}

/** Judges the responses of a run. @returns what is to be called with each, and returns its violations */
export function responseJudge(document: ApiDocument, { region }: Pick<Credentials, 'region'>) {
  const seen: Judged['seen'] = { requestIds: new Set(), writes: 0, gets: new Map() };
  return (request: RequestSpec, response: HttpResponse): Violation[] => {
    const operation = matchOperation(document, request.method, request.path);
    const place = `${nameOf(operation)}.${response.status}`;
    const judged: Judged = { request, response, document, operation, place, region, seen };
    const hasBody = request.method !== 'HEAD';
    return responseRulesOf(document, request, response.status).flatMap((promise) => {
      const { bodyFault, headerFault } = responseRules[promise] ?? {};
      const message = headerFault?.(judged) ?? (hasBody ? bodyFault?.(parsed(response.text), judged) : undefined);
      return message === undefined ? [] : [{ rule: 'own rule', promise, message }];
    });
  };
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

function challengeFault(judged: Judged): string | undefined {
  const { request, response, region = '(uk|ca)', seen } = judged;
  const challenge = response.headers['www-authenticate'] ?? '';
  const schemes = challengesOf(judged);
  const scheme = schemes.find((name) => challenge.startsWith(`${name} `));
  if (scheme === undefined) return `expected a challenge of ${schemes.join(' or ')}, got ${told(challenge)}`;
  const realm = /realm="([^"]*)"/i.exec(challenge)?.[1] ?? '';
  seen.realm ??= new RegExp(`^document-analysis-${region}$`).test(realm) ? realm : undefined;
  if (realm !== seen.realm) return `expected the realm ${seen.realm ?? `document-analysis-${region}`}, got ${realm}`;
  const sent = sentIn(request, /^authorization$/i);
  if (scheme === 'ApiKey' || sent.length > 1) return undefined;
  const isNamed = challenge.includes('error="invalid_token"');
  if (sent.length === 0 && challenge.includes('error=')) return 'expected no error without a token';
  return /^Bearer \S+$/.test(sent[0] ?? '') && !isNamed ? 'expected the error invalid_token' : undefined;
}

function sentIn({ headers = [] }: RequestSpec, name: RegExp): string[] {
  return headers.filter(([each]) => name.test(each)).map(([, value]) => value);
}

function challengesOf({ document, operation }: Judged): string[] {
  const types = (operation?.security ?? []).flat().map((name) => document.securitySchemes[name]?.type);
  return [...new Set(types.map((type) => (type === 'apiKey' ? 'ApiKey' : 'Bearer')))];
}

/** Where the headers are absent, the promise of the document is broken, not this one. */
function limitFault({ request, response, operation }: Judged): string | undefined {
  const { status, headers } = response;
  const [policy, limit] = [policyStatedBy(response), limitStatedBy(response)];
  if (policy && limit) {
    const ofCaller = operation && isPublic(operation) ? 'public' : 'credential';
    const name = status === 429 ? policy.name : status === 401 ? 'failed-authentication' : ofCaller;
    const agrees = limit.name === name && policy.name === name && limit.seconds <= policy.windowSeconds;
    if (!agrees || limit.left >= policy.quota || (status === 429 && limit.left !== 0))
      return `expected the limit "${name}" within its policy ${headers['ratelimit-policy']}, got ${headers['ratelimit']}`;
  }
  if (status !== 429) return undefined;
  // The window ends at a fixed time, before which nothing is left.
  const least = Math.max(1, (limit?.seconds ?? 0) - 1);
  if (!(Number(headers['retry-after']) >= least))
    return `expected a Retry-After of at least ${least}, got ${told(headers['retry-after'])}`;
  const { error_code: code } = (parsed(response.text) ?? {}) as { error_code?: unknown };
  return request.method === 'HEAD' || code === 'request.rate-limit.exceeded'
    ? undefined
    : `expected the error code request.rate-limit.exceeded, got ${told(code)}`;
}

function requestIdFault({ request, response, seen }: Judged): string | undefined {
  const came = response.headers['x-request-id'];
  const sent = sentIn(request, /^x-request-id$/i).map((value) => value.trim());
  const [only = ''] = sent;
  if (came === undefined || sent.length > 1) return undefined;
  // Of a header section that is too large, nothing need have been read.
  if (/^[A-Za-z0-9._~-]{1,128}$/.test(only))
    return came === only || response.status === 431 ? undefined : `expected X-Request-Id ${only}, got ${came}`;
  if (sent.length === 1 && came === only) return `expected another X-Request-Id than ${only}`;
  const isKnown = seen.requestIds.has(came);
  seen.requestIds.add(came);
  return isKnown ? `expected a unique X-Request-Id, got ${came} again` : undefined;
}

/** Headers that HEAD may omit (RFC 9110, section 9.3.2), and headers of the connection. */
const omissible =
  /^(content-length|content-encoding|transfer-encoding|etag|last-modified|vary|trailer|date|age|connection|keep-alive)$/;
const changing = /^(date|age|x-request-id|ratelimit|retry-after|connection|keep-alive|transfer-encoding|set-cookie)$/;

/** Headers that are documented, or tell what a response is: gateways add others to single responses. */
function headFault({ request, response, document, place, seen }: Judged): string | undefined {
  const { method, path, headers = [] } = request;
  const isSuccess = response.status < 300;
  if (isSuccess && !isSafe(method)) seen.writes += 1;
  const documented = documentedPlace(document, method, path, response.status)?.response.headers ?? {};
  const optional = new Set<string>();
  const judged = new Set([...tellingHeaders, 'content-length']);
  for (const [name, { required }] of Object.entries(documented)) {
    judged.add(name.toLowerCase());
    if (!required) optional.add(name.toLowerCase());
  }
  const credential = sentIn(request, /^(x-api-key|authorization)$/i);
  const key = [response.status, path.replace(/\?.*/s, ''), ...credential].join('\n');
  const gets = seen.gets.get(key) ?? { count: 0, writesBefore: 0, values: new Map<string, Set<string | undefined>>() };
  const names = [...new Set([...gets.values.keys(), ...Object.keys(response.headers)])].filter((name) =>
    judged.has(name),
  );
  if (method === 'GET' && headers.length === credential.length) {
    for (const name of names) {
      const before = gets.values.get(name) ?? new Set(gets.count > 0 ? [undefined] : []);
      gets.values.set(name, before.add(response.headers[name]));
    }
    gets.count += 1;
    gets.writesBefore = seen.writes;
    seen.gets.set(key, gets);
  }
  if (method !== 'HEAD' || gets.count < 2) return undefined;
  const hasChanged = isSuccess && seen.writes > gets.writesBefore;
  const isLike = (name: string) => {
    // A header that not every response has, such as a link to the next page, may tell of what is stored.
    if (hasChanged && optional.has(name)) return true;
    const [sent, values] = [response.headers[name], gets.values.get(name) ?? new Set([undefined])];
    if (values.has(sent)) return true;
    if (sent === undefined || values.has(undefined)) return omissible.test(name);
    // The length of a success changes with what is stored: of the setting, both are known once they have been seen.
    if (name === 'content-length')
      return place.endsWith('.200') && (!place.startsWith('getVerificationSetting') || values.size < 2);
    return values.size > 1 || changing.test(name);
  };
  const differing = names.filter((name) => !isLike(name));
  return differing.length === 0 ? undefined : `expected the headers of GET, got differences in ${differing.join(', ')}`;
}
