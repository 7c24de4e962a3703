import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { malformedIdentifier, unknownIdentifier } from '../checks/unknown-identifier.ts';
import { originForm } from '../cli/http.ts';
import { isJson } from '../conformance/media-type.ts';
import { isPublic } from '../conformance/public-operation.ts';
import { parameterViolations } from '../conformance/parameters.ts';
import { bodyViolations } from '../conformance/request-body.ts';
import { credentialViolations, headerOf } from '../conformance/request.ts';
import { matchOperation, operationsOfPath } from '../document/index.ts';
import type { ApiDocument, Operation, Parameter } from '../document/model.ts';
import { isOwnApi, ownDocument } from '../document/own-document.ts';
import { allowOrigins } from './allow-origins.ts';
import { documentedExamples, examplesOfStatus } from './documented-examples.ts';
import { errorOf, respondWithExample, sendExample } from './respond.ts';
import { type ValidationFault, validationFaults } from './validation-faults.ts';

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

/** A refusal with one of the operation's documented statuses, or of the service's. */
interface Refusal {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly errors?: readonly ValidationFault[];
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
    if (!operation) {
      request.resume();
      refuse(response, requestId, undefined, refusalOfPath(target));
      return;
    }
    const challenge = credentialRefusal(operation, request);
    if (challenge) {
      request.resume();
      refuse(response, requestId, operation, challenge);
      return;
    }
    if (request.headers.expect !== undefined) response.writeContinue();
    const { bytes, body } = await read(request, operation.requestBody?.maxBytes ?? 0);
    const refusal = requestRefusal(operation, request, target, bytes, body, isOwn);
    if (refusal) {
      refuse(response, requestId, operation, refusal);
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

  function refusalOfPath(target: string): Refusal {
    const methods = operationsOfPath(document, target).map(({ method }) => method.toUpperCase());
    if (methods.length === 0) return { status: 404 };
    const allowed = methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
    return { status: 405, headers: { Allow: allowed.join(', ') } };
  }

  function credentialRefusal(operation: Operation, { headersDistinct, url }: IncomingMessage): Refusal | undefined {
    if (isPublic(operation) || credentialViolations(document, operation, headersDistinct, url).length === 0)
      return undefined;
    const names = [...new Set(operation.security.flat())];
    const challenges = names.flatMap((name) => {
      const scheme = document.securitySchemes[name];
      if (!scheme) return [];
      const isBearer = scheme.type === 'http' && scheme.scheme === 'bearer';
      const word = isBearer ? 'Bearer' : scheme.type === 'http' ? 'Basic' : 'ApiKey';
      const sent = isBearer && headersDistinct[headerOf(scheme).toLowerCase()] !== undefined;
      return [`${word} realm="${realm}"${sent ? ', error="invalid_token"' : ''}`];
    });
    return { status: 401, ...(challenges.length > 0 && { headers: { 'WWW-Authenticate': challenges.join(', ') } }) };
  }

  function refuse(response: ServerResponse, requestId: string, operation: Operation | undefined, refusal: Refusal) {
    const { status, headers = {}, errors } = refusal;
    const documented = [operation?.responses ?? {}, document.serviceResponses].flatMap((responses) =>
      examplesOfStatus(responses, status),
    );
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

function requestRefusal(
  operation: Operation,
  { headersDistinct: headers }: IncomingMessage,
  target: string,
  bodyBytes: number,
  body: Buffer | undefined,
  isOwn: boolean,
): Refusal | undefined {
  const received = { method: operation.method, path: target, headers, bodyBytes, body };
  const ofBody = bodyViolations(operation, received, !isOwn);
  if (operation.requestBody && ofBody.some(({ rule }) => rule === 'media type')) return { status: 415 };
  if (operation.requestBody && bodyBytes > operation.requestBody.maxBytes) return { status: 413 };
  const parameters = parameterViolations(operation, target, headers).map(({ parameter }) => parameter);
  const isPathAlone = parameters.length > 0 && parameters.every(({ in: place }) => place === 'path');
  // An identifier that is invalid is unknown, if the operation documents only 404.
  if (isPathAlone && operation.responses['404'] && !operation.responses['400']) return { status: 404 };
  const absent =
    [404, 410].find((status) => operation.responses[status]) ?? (operation.responses['4XX'] ? 404 : undefined);
  if (absent !== undefined && sends(unknownIdentifier, operation, target)) return { status: absent };
  const errors = validationFaults(operation, received, isOwn);
  // Not every style of a parameter can be read.
  if (absent !== undefined && errors.length === 0 && sends(malformedIdentifier, operation, target))
    return { status: absent };
  const required = operation.parameters.filter((each) => each.in === 'header' && each.required).map(({ name }) => name);
  const lacksHeaderAlone = errors.every(({ field, rule }) => rule === 'required' && required.includes(field));
  if (errors.length > 0 && lacksHeaderAlone && operation.responses['428']) return { status: 428 };
  return errors.length > 0 ? { status: statusOfInvalid(operation), errors } : undefined;
}

/** The mock stores nothing, but knows which identifiers the suite takes for unknown or malformed ones. */
function sends(
  identifierOf: (parameter: Parameter) => string | undefined,
  { path, parameters }: Operation,
  target: string,
): boolean {
  const sent = target.replace(/\?.*/s, '').split('/');
  return path.split('/').some((segment, index) => {
    const parameter = parameters.find(({ in: place, name }) => place === 'path' && segment === `{${name}}`);
    return parameter !== undefined && sent[index] === identifierOf(parameter);
  });
}

/** Other APIs use 422 for valid JSON that violates a rule (RFC 9110, section 15.5.21). */
function statusOfInvalid({ responses }: Operation): number {
  return !responses['400'] && responses['422'] ? 422 : 400;
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
