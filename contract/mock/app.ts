/** The mock: what the oracle allows, sent as the document shows it. */
import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type RequestListener, STATUS_CODES, type ServerResponse } from 'node:http';
import cors, { type CorsOptions } from 'cors';
import { originForm, send } from '../cli/serve.ts';
import { malformedIdentifier, unknownIdentifier } from '../dimensions/identifiers.ts';
import { allowedMethods, matchOperation } from '../document/index.ts';
import type { ApiDocument, Operation } from '../document/model.ts';
import { isOwnApi, ownDocument } from '../document/own-document.ts';
import { isJson } from '../oracle/body.ts';
import { mockHeader } from '../oracle/response.ts';
import { type Expected, type PromiseName, expectedOf } from '../oracle/expected.ts';
import { parsed } from '../oracle/json.ts';
import { headerOf, isPreflight } from '../oracle/request.ts';
import { type KnownCase, owner, type Principal, type World, worldOf } from '../oracle/world.ts';
import { type MockedResponse, chooseExample, documentedExamples, examplesOfStatus } from './examples.ts';

export interface MockOptions {
  /** The region in the challenges of this API. */
  readonly region: string;
  /** The project's own by default. */
  readonly document?: ApiDocument;
  /** The origins whose web pages may call the mock; none by default. */
  readonly allowedOrigins?: readonly string[];
  readonly onResponse?: (record: MockRecord) => void;
}

/** A response of the mock, as it is logged. */
export interface MockRecord {
  readonly method: string;
  readonly path: string;
  /** Null if the request matches no operation. */
  readonly operationId: string | null;
  readonly status: number;
}

type Headers = Readonly<Record<string, string>>;

/**
 * A listener that responds with the document's examples. It refuses a request that violates the document, as a
 * conforming server does. It accepts any credential of the right form, counts no limit, and stores nothing.
 */
export function createMock(options: MockOptions): RequestListener {
  const { region, document = ownDocument, allowedOrigins = [], onResponse } = options;
  const examples = documentedExamples(document);
  const isOwn = isOwnApi(document);
  const world = worldOfExamples(document);
  const realm = isOwn ? `document-analysis-${region}` : document.title.replaceAll(/[^\w .-]/g, '');
  const crossOrigin = allowedOrigins.length === 0 ? undefined : allowOrigins(allowedOrigins, document);

  return (request, response) => {
    const [method, target] = [String(request.method), originForm(request.url)];
    const operation = matchOperation(document, method, target);
    const [path, operationId] = [target.replace(/\?.*/s, ''), operation?.operationId ?? null];
    response.once('finish', () => onResponse?.({ method, path, operationId, status: response.statusCode }));
    const requestId = requestIdOf(request);
    const proceed = () =>
      void responseTo(request, response, operation, target)
        .then((mocked) => {
          sendMocked(response, mocked, requestId);
        })
        .catch(() => response.destroy());
    if (crossOrigin) crossOrigin(request, response, proceed);
    else proceed();
  };

  async function responseTo(
    request: IncomingMessage,
    response: ServerResponse,
    operation: Operation | undefined,
    target: string,
  ): Promise<MockedResponse> {
    const { headersDistinct: fields, method = '' } = request;
    const headers = Object.entries(fields).flatMap(([name, all = []]) => all.map((value) => [name, value] as const));
    const asked = { method, path: target, headers };
    const withoutBody = expectedOf(asked, world);
    if (!operation || withoutBody.promise === 'credential') {
      request.resume();
      const methods = allowedMethods(document, target).join(', ');
      if (operation) return refusal(withoutBody, challenges(operation, fields));
      return refusal(withoutBody, methods === '' ? {} : { Allow: methods });
    }
    if (request.headers.expect !== undefined) response.writeContinue();
    const { bytes, body } = await read(request, operation.requestBody?.maxBytes ?? 0);
    if (refersToNothing(operation, target)) return refusal({ operation, promise: 'not-found', statuses: [] });
    const expected = expectedOf({ ...asked, body: body ?? Buffer.alloc(bytes) }, world);
    if (expected.promise !== 'success') return refusal(expected);
    const json = isJson(request.headers['content-type'] ?? '') ? parsed(String(body ?? '')) : undefined;
    return preferred(operation, String(request.headers['prefer'] ?? ''), json);
  }

  /** The example of the preferences, else status 500: a mistyped preference would look like a success if it were ignored. */
  function preferred({ operationId }: Operation, prefer: string, body: unknown): MockedResponse {
    const ofOperation = examples.get(operationId) ?? [];
    const [code, example] = [preferenceOf(prefer, 'code'), preferenceOf(prefer, 'example')];
    const applied = Object.entries({ code, example }).flatMap(([name, value]) =>
      value === undefined ? [] : [`${name}=${value}`],
    );
    const chosen = chooseExample(ofOperation, { code, example }, body);
    if (chosen || applied.length === 0) {
      const { status = 200, mediaType, body: shown, headers = {} } = chosen ?? {};
      const more = applied.length > 0 ? { 'Preference-Applied': applied.join(', ') } : {};
      return { status, mediaType, body: shown, headers: { ...headers, ...more } };
    }
    const place = isOwn ? 'error_details.examples' : 'examples';
    const message = `The mock has no such example of ${operationId}. Ask with Prefer for one of ${place}.`;
    const known = ofOperation.map(({ status, name }) => `code=${status}, example=${name}`);
    const error = errorOf(isOwn, 500, 'service.internal-error', message, { field: 'Prefer', examples: known });
    return { ...error, headers: ofOperation.find(({ status }) => status === 500)?.headers ?? {} };
  }

  function challenges({ security }: Operation, fields: IncomingMessage['headersDistinct']): Headers {
    const all = [...new Set(security.flat())].flatMap((name) => {
      const scheme = document.securitySchemes[name];
      if (!scheme) return [];
      const word = scheme.type === 'apiKey' ? 'ApiKey' : scheme.scheme === 'bearer' ? 'Bearer' : 'Basic';
      const isInvalid = word === 'Bearer' && fields[headerOf(scheme).toLowerCase()] !== undefined;
      return [`${word} realm="${realm}"${isInvalid ? ', error="invalid_token"' : ''}`];
    });
    return all.length > 0 ? { 'WWW-Authenticate': all.join(', ') } : {};
  }

  function refusal({ operation, promise, statuses, faults }: Expected, more: Headers = {}): MockedResponse {
    const responses = operation?.responses ?? document.serviceResponses;
    const likely = [...statuses, ...(usualStatuses[promise] ?? [])];
    const status = likely.find((each) => responses[each]) ?? likely[0] ?? 400;
    const documented = [responses, document.serviceResponses].flatMap((each) => examplesOfStatus(each, status));
    const shown = documented.find(({ isSound }) => isSound) ?? documented[0];
    const headers = { ...shown?.headers, ...more };
    if (!isOwn && shown) return { status, mediaType: shown.mediaType, body: shown.body, headers };
    const { error_code: code, error_message: message } = (shown?.body ?? {}) as Record<string, string | undefined>;
    const errors = faults?.map(({ field = '', message: why, rule }) => ({ field, message: why, rule }));
    const details = errors && { ...(isOwn && { field: errors[0]?.field }), errors };
    const [usualCode, usualMessage] = undocumented[status] ?? ['request.malformed', 'The request is not valid.'];
    return { ...errorOf(isOwn, status, code ?? usualCode, message ?? usualMessage, details), headers };
  }
}

/** Errors for requests that match no operation, if the document has none. */
const undocumented: Readonly<Record<number, readonly [code: string, message: string]>> = {
  404: ['request.not-found', 'No operation has this path.'],
  405: ['request.method-not-allowed', 'The path does not have this method. Allow lists those it has.'],
};

/** The statuses of refusals of which the document says nothing. */
const usualStatuses: Readonly<Partial<Record<PromiseName, readonly number[]>>> = {
  path: [404],
  method: [405],
  credential: [401],
  'media-type': [415],
  'body-size': [413],
  body: [400, 422],
  parameters: [400, 422],
  'not-found': [404, 410],
};

function sendMocked(response: ServerResponse, mocked: MockedResponse, requestId: string): void {
  const { status, headers, mediaType, body } = mocked;
  const isRaw = Buffer.isBuffer(body) || (typeof body === 'string' && !isJson(mediaType ?? ''));
  const bytes = isRaw ? body : JSON.stringify(body);
  const content = mediaType === undefined || [204, 205, 304].includes(status) ? undefined : { mediaType, body: bytes };
  // Checks of credentials that the mock cannot tell from valid ones are not run.
  send(response, status, { [mockHeader]: 'any credential', ...headers, 'X-Request-Id': requestId }, content);
}

/** An error without documentation: in this API's form, or as a problem (RFC 9457). */
function errorOf(isOwn: boolean, status: number, code: string, message: string, details?: object): MockedResponse {
  const own = { error_code: code, error_message: message, ...(details && { error_details: details }) };
  const problem = { type: 'about:blank', title: STATUS_CODES[status], status, detail: message, ...details };
  const mediaType = isOwn ? 'application/json' : 'application/problem+json';
  return { status, mediaType, headers: {}, body: isOwn ? own : problem };
}

/** The world of the mock: every credential of the right form is valid, and everything exists. */
function worldOfExamples(document: ApiDocument): World {
  const everything = <Value>(value: Value): ReadonlyMap<string, Value> =>
    Object.assign(new Map<string, Value>(), { get: (key: string) => (/^\S+$/.test(key) ? value : undefined) });
  const schemes = Object.keys(document.securitySchemes);
  const anybody: Principal = { name: 'access_token', secret: '', schemes, ...owner };
  const cases = everything<KnownCase>({ organisation: 'own' });
  return { ...worldOf(document, { base_url: '', case_base_url: '' }), principals: everything(anybody), cases };
}

/** Whether a path has an identifier that the suite takes for unknown or malformed. */
function refersToNothing({ path, parameters, responses }: Operation, target: string): boolean {
  if (!['404', '410', '4XX'].some((status) => responses[status])) return false;
  const sent = target.replace(/\?.*/s, '').split('/');
  return path.split('/').some((segment, index) => {
    const parameter = parameters.find(({ in: place, name }) => place === 'path' && segment === `{${name}}`);
    return parameter && [unknownIdentifier(parameter), malformedIdentifier(parameter)].includes(sent[index]);
  });
}

async function read(request: IncomingMessage, maxBytes: number): Promise<{ bytes: number; body: Buffer | undefined }> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes <= maxBytes) chunks.push(chunk);
  }
  return { bytes, body: bytes <= maxBytes ? Buffer.concat(chunks) : undefined };
}

function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && /^[A-Za-z0-9._~-]{1,128}$/.test(given) ? given : randomUUID();
}

/** Lets web pages of these origins read every documented header of the responses; `*` allows every origin. */
function allowOrigins(origins: readonly string[], { operations }: ApiDocument) {
  const responses = operations.flatMap((operation) => Object.values(operation.responses));
  const options: CorsOptions = {
    origin: origins.includes('*') ? '*' : [...origins],
    methods: [...new Set(['HEAD', ...operations.map(({ method }) => method.toUpperCase())])],
    exposedHeaders: [...new Set([...responses.flatMap(({ headers }) => Object.keys(headers)), 'Preference-Applied'])],
    // With 204, the package would send a Content-Length, which RFC 9110 forbids there.
    optionsSuccessStatus: 200,
  };
  const addHeaders = cors(options);
  return (request: IncomingMessage, response: ServerResponse, next: () => void) => {
    if (request.method === 'OPTIONS' && !isPreflight(request)) next();
    else addHeaders(request, response, next);
  };
}

/** A preference in a `Prefer` header (RFC 7240); the empty string if it has no value, undefined if it is not there. */
export function preferenceOf(header: string, name: 'code' | 'example'): string | undefined {
  const form = new RegExp(`(?:^|,)\\s*${name}\\s*(?:=\\s*(?:"([^"]*)"|([^\\s;,"]*))\\s*)?(?:[,;]|$)`, 'i');
  const [found, quoted, token = ''] = form.exec(header) ?? [];
  return found === undefined ? undefined : (quoted ?? token);
}
