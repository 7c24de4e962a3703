import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { malformedIdentifier, unknownIdentifier } from '../dimensions/identifiers.ts';
import { originForm } from '../cli/serve.ts';
import { isJson } from '../oracle/media-type.ts';
import { type ReceivedRequest, headerOf } from '../oracle/request.ts';
import { matchOperation, operationsOfPath } from '../document/index.ts';
import type { ApiDocument, Operation } from '../document/model.ts';
import { isOwnApi, ownDocument } from '../document/own-document.ts';
import { type Expected, type PromiseName, expectedOf } from '../oracle/expected.ts';
import type { KnownCase, Principal, World } from '../oracle/world.ts';
import { allowOrigins } from './allow-origins.ts';
import { documentedExamples, examplesOfStatus } from './documented-examples.ts';
import { errorOf, respondWithExample, sendExample } from './respond.ts';
import { parameterViolations } from '../oracle/parameters.ts';
import { bodyViolations, readBody } from '../oracle/body.ts';
import { fieldOf, schemaErrors } from '../oracle/schema.ts';

export interface MockOptions {
  /** The region in the challenges of this API. */
  readonly region: string;
  /** The project's own by default. */
  readonly document?: ApiDocument;
  /** The origins whose web pages may call the mock; none by default. */
  readonly allowedOrigins?: readonly string[];
  /** Called with each response. */
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

/**
 * A listener that responds with the document's examples. It refuses a request that violates the document, as a
 * conforming server does. It accepts any credential of the right form, counts no limit, and stores nothing.
 */
export function createMock({
  region,
  document = ownDocument,
  allowedOrigins = [],
  onResponse,
}: MockOptions): RequestListener {
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
    const proceed = () => void respond(request, response, operation, target).catch(() => response.destroy());
    if (crossOrigin) crossOrigin(request, response, proceed);
    else proceed();
  };

  async function respond(
    request: IncomingMessage,
    response: ServerResponse,
    operation: Operation | undefined,
    target: string,
  ) {
    const requestId = requestIdOf(request);
    const asked = {
      method: String(request.method),
      path: target,
      headers: Object.entries(request.headersDistinct).flatMap(([name, values = []]) =>
        values.map((value) => [name, value] as const),
      ),
    };
    const withoutBody = expectedOf(asked, world);
    if (!operation || withoutBody.promise === 'credential') {
      request.resume();
      refuse(response, requestId, withoutBody, refusalHeaders(request, target, operation));
      return;
    }
    if (request.headers.expect !== undefined) response.writeContinue();
    const { bytes, body } = await read(request, operation.requestBody?.maxBytes ?? 0);
    const expected = expectedOf({ ...asked, body: body ?? Buffer.alloc(bytes) }, world);
    const isAbsent = refersToNothing(operation, target);
    if (expected.promise !== 'success' || isAbsent) {
      const isInvalid = expected.promise === 'body' || expected.promise === 'parameters';
      const received = { ...asked, headers: request.headersDistinct, bodyBytes: bytes, body };
      const errors = isInvalid && !isAbsent ? validationFaults(operation, received, isOwn) : undefined;
      refuse(
        response,
        requestId,
        isAbsent ? { ...expected, promise: 'not-found', statuses: [] } : expected,
        {},
        errors,
      );
      return;
    }
    respondWithExample(response, examples.get(operation.operationId) ?? [], {
      operationId: operation.operationId,
      prefer: request.headers['prefer']?.toString(),
      body: jsonOf(request, body),
      requestId,
      isOwn,
    });
  }

  /** Where a request can go instead, or how its caller can authenticate. */
  function refusalHeaders(
    { headersDistinct }: IncomingMessage,
    target: string,
    operation: Operation | undefined,
  ): Readonly<Record<string, string>> {
    if (!operation) {
      const methods = operationsOfPath(document, target).map(({ method }) => method.toUpperCase());
      const allowed = methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
      return allowed.length > 0 ? { Allow: allowed.join(', ') } : {};
    }
    const names = [...new Set(operation.security.flat())];
    const challenges = names.flatMap((name) => {
      const scheme = document.securitySchemes[name];
      if (!scheme) return [];
      const isBearer = scheme.type === 'http' && scheme.scheme === 'bearer';
      const word = isBearer ? 'Bearer' : scheme.type === 'http' ? 'Basic' : 'ApiKey';
      const sent = isBearer && headersDistinct[headerOf(scheme).toLowerCase()] !== undefined;
      return [`${word} realm="${realm}"${sent ? ', error="invalid_token"' : ''}`];
    });
    return challenges.length > 0 ? { 'WWW-Authenticate': challenges.join(', ') } : {};
  }

  function refuse(
    response: ServerResponse,
    requestId: string,
    { operation, promise, statuses }: Expected,
    headers: Readonly<Record<string, string>>,
    errors?: readonly ValidationFault[],
  ) {
    const responses = operation?.responses ?? document.serviceResponses;
    const likely = [...statuses, ...(usualStatuses[promise] ?? [])];
    const status = likely.find((each) => responses[each]) ?? likely[0] ?? 400;
    const documented = [responses, document.serviceResponses].flatMap((each) => examplesOfStatus(each, status));
    const shown = documented.find(({ isSound }) => isSound) ?? documented[0];
    if (!isOwn && shown) {
      sendExample(response, shown, requestId, headers);
      return;
    }
    const { error_code, error_message } = (shown?.body ?? {}) as { error_code?: string; error_message?: string };
    const [code, message] = undocumented[status] ?? ['request.malformed', 'The request is not valid.'];
    const details = errors && { ...(isOwn && { field: errors[0]?.field }), errors };
    const error = errorOf(isOwn, status, error_code ?? code, error_message ?? message, details);
    sendExample(response, { ...error, headers: shown?.headers ?? {} }, requestId, headers);
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

/** Every credential of the right form is valid, and everything exists but what has the identifiers of nothing. */
class Everything<Value> extends Map<string, Value> {
  readonly #value: Value;

  constructor(value: Value) {
    super();
    this.#value = value;
  }

  override get(key: string): Value | undefined {
    return /^\S+$/.test(key) ? this.#value : undefined;
  }
}

function worldOfExamples(document: ApiDocument): World {
  const rights = { organisation: 'own', holds: () => true, hasFeatures: true } as const;
  const anybody: Principal = { name: 'access_token', schemes: Object.keys(document.securitySchemes), ...rights };
  const [principals, cases] = [new Everything(anybody), new Everything<KnownCase>({ organisation: 'own' })];
  return { document, isOwn: isOwnApi(document), principals, cases, setting: undefined };
}

/** The mock stores nothing, but knows which identifiers the suite takes for unknown or malformed ones. */
function refersToNothing({ path, parameters, responses }: Operation, target: string): boolean {
  if (!['404', '410', '4XX'].some((status) => responses[status])) return false;
  const sent = target.replace(/\?.*/s, '').split('/');
  return path.split('/').some((segment, index) => {
    const parameter = parameters.find(({ in: place, name }) => place === 'path' && segment === `{${name}}`);
    if (!parameter) return false;
    return [unknownIdentifier(parameter), malformedIdentifier(parameter)].includes(sent[index]);
  });
}

/** Reads a body; if it is too large, only its size. */
async function read(request: IncomingMessage, maxBytes: number): Promise<{ bytes: number; body: Buffer | undefined }> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes <= maxBytes) chunks.push(chunk);
  }
  return { bytes, body: bytes <= maxBytes ? Buffer.concat(chunks) : undefined };
}

function jsonOf({ headers }: IncomingMessage, body: Buffer | undefined): unknown {
  const mediaType = (headers['content-type'] ?? '').replace(/ *;.*/s, '');
  return body && body.length > 0 && isJson(mediaType)
    ? (JSON.parse(new TextDecoder().decode(body)) as unknown)
    : undefined;
}

function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && /^[A-Za-z0-9._~-]{1,128}$/.test(given) ? given : randomUUID();
}

/** A fault of a request, as in `error_details.errors` of a 400. */
export interface ValidationFault {
  readonly field: string;
  readonly message: string;
  readonly rule: string;
}

/** The faults in the parameters and the body of a request whose media type is right. */
export function validationFaults(operation: Operation, request: ReceivedRequest, isOwn: boolean): ValidationFault[] {
  const ofParameters = parameterViolations(operation, request.path, request.headers).map(({ parameter, message }) => ({
    field: parameter.name,
    message,
    rule: message.endsWith('is missing') ? 'required' : 'type',
  }));
  return [...ofParameters, ...bodyFaults(operation, request, isOwn)];
}

function bodyFaults(operation: Operation, request: ReceivedRequest, isOwn: boolean): ValidationFault[] {
  const { requestBody } = operation;
  const [violation] = requestBody ? bodyViolations(operation, request, !isOwn) : [];
  if (!requestBody || !violation) return [];
  const read = readBody(requestBody, request);
  if (read)
    return schemaErrors(read.schema, read.value, !isOwn).map((error) => ({
      field: fieldOf(error),
      message: error.message ?? 'is not valid',
      rule: error.keyword,
    }));
  const rule = request.bodyBytes === 0 ? 'required' : 'json';
  return [{ field: '', message: violation.message, rule }];
}
