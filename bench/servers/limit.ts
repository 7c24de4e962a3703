/**
 * The limit: plain node:http, optimised by hand for these three operations, with all that a user of the API can
 * observe. Concurrent reads share a snapshot, concurrent updates a commit, and each response is one write. The contract
 * suite checks it against the document.
 */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type ErrorCode, errors } from '../../generated/errors.ts';
import { Refusal } from '../../src/api/errors.ts';
import { securityHeaders } from '../../src/api/send-response.ts';
import {
  canonicaliseRequest,
  headerValues,
  isHead,
  isValidHttp,
  requestIdOf,
  type TraceContext,
  traceContextOf,
} from '../../src/api/steps/arrival.ts';
import { type CredentialKind, hashSecret, isWellFormedSecret } from '../../src/domain/credential.ts';
import { memoryRateLimits, type RateLimitCount } from '../../src/rate-limits/rate-limit-store.ts';
import * as store from '../peers/limit-store.ts';
import { destination } from '../peers/log-file.ts';

const quota = Number(process.env['REQUESTS'] ?? 1_000_000_000);
const windowSeconds = Number(process.env['WINDOW_SECONDS'] ?? 60);
const settingPath = '/organisations/features/verification';
const casePath = '/cases/';
const maxBodyBytes = 16 * 1024;

interface Operation {
  readonly id: string;
  readonly kind: CredentialKind;
  readonly run: (call: Call, caller: store.Caller) => void;
}

const getVerificationSetting: Operation = {
  id: 'getVerificationSetting',
  kind: 'api-key',
  run: (call, caller) => {
    if (!permitted(call, caller, caller.may_read)) return;
    respond(call, 200, store.readSetting(caller) ? '{"enabled":true}' : '{"enabled":false}');
  },
};
const updateVerificationSetting: Operation = {
  id: 'updateVerificationSetting',
  kind: 'api-key',
  run: (call, caller) => {
    if (permitted(call, caller, caller.may_write)) readUpdate(call);
  },
};
const getCase: Operation = {
  id: 'getCase',
  kind: 'access-token',
  run: (call, caller) => {
    const text = store.readCase(caller.organisation_id, call.path.slice(casePath.length).toLowerCase());
    if (text === undefined) refuse(call, 'request.cases.case.not-found');
    else respond(call, 200, text);
  },
};

const ofSetting: Readonly<Record<string, Operation>> = {
  GET: getVerificationSetting,
  PUT: updateVerificationSetting,
};
const ofCase: Readonly<Record<string, Operation>> = { GET: getCase };

interface Call {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly startedAt: number;
  readonly requestId: string;
  readonly path: string;
  readonly trace: TraceContext | undefined;
  isFinished: boolean;
  operationId?: string;
  credentialId?: string;
  hash?: Buffer;
  enabled?: boolean;
  /** The headers that state the limit that counted. */
  limit: string[];
}

/** A connection, with its calls without a complete response: unsafe requests must be handled one after another (RFC 9112). */
type Connection = IncomingMessage['socket'] & { calls?: Call[] };

let calls: Call[] = [];
let updates: (Call & store.Update)[] = [];
/** The program's default of `MAX_CONCURRENT_REQUESTS`. */
const maxInFlight = 1000;
let inFlight = 0;

const server = createServer({ maxHeaderSize: 16 * 1024 }, (request, response) => {
  const startedAt = performance.now();
  canonicaliseRequest(request);
  const { url = '' } = request;
  const query = url.indexOf('?');
  const path = query < 0 ? url : url.slice(0, query);
  const [requestId, trace] = [requestIdOf(request), traceContextOf(request)];
  const call: Call = { request, response, startedAt, requestId, path, trace, isFinished: false, limit: [] };
  const ofConnection = ((request.socket as Connection).calls ??= []);
  inFlight += 1;
  response.on('finish', () => (call.isFinished = response.socket?.destroyed !== true));
  response.on('close', () => {
    inFlight -= 1;
    ofConnection.shift();
    if (ofConnection[0]) enqueue(ofConnection[0]);
    log(call);
  });
  if (ofConnection.push(call) === 1) enqueue(call);
});
server.timeout = 60_000;
server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
  if (error.code === 'ECONNRESET' || !socket.writable) return;
  const code = error.code === 'HPE_HEADER_OVERFLOW' ? 'request.header.too-large' : 'request.malformed';
  const { status, text } = refusals[code];
  const fields = [...fixed, 'Content-Length', String(text.length), 'X-Request-Id', randomUUID(), 'Connection', 'close'];
  const lines = fields.map((field, index) => (index % 2 === 0 ? `${field}: ` : `${field}\r\n`));
  socket.end(`HTTP/1.1 ${status} Refused\r\n${lines.join('')}\r\n${text}`);
});
server.listen(Number(process.env['PORT']), '127.0.0.1');

function enqueue(call: Call): void {
  if (!call.request.socket.destroyed && calls.push(call) === 1) setImmediate(handleAll);
}

function handleAll(): void {
  const together = calls;
  calls = [];
  try {
    store.readTogether(() => {
      for (const call of together)
        try {
          handle(call);
        } catch (error) {
          fail(call, error);
        }
    });
  } catch (error) {
    for (const call of together) if (!call.response.headersSent) fail(call, error);
  }
}

/** A store that is busy or full may serve the next request; any other failure is the server's own. */
function fail(call: Call, error: unknown): void {
  const { code = '' } = error as { code?: string };
  if (/^SQLITE_(BUSY|FULL|IOERR)/.test(code)) refuse(call, 'service.unavailable', ['Retry-After', '5']);
  else refuse(call, 'service.internal-error');
}

function handle(call: Call): void {
  const { request, path } = call;
  if (!isValidHttp(request)) return refuseUnmatched(call, 'request.malformed', ['Connection', 'close']);
  const operations = path === settingPath ? ofSetting : isCasePath(path) ? ofCase : undefined;
  if (!operations) return refuseUnmatched(call, 'request.not-found');
  const operation = operations[request.method ?? ''];
  if (!operation)
    return refuseUnmatched(call, 'request.method-not-allowed', [
      'Allow',
      [...Object.keys(operations), 'HEAD'].sort().join(', '),
    ]);
  call.operationId = operation.id;
  if (inFlight > maxInFlight) return refuse(call, 'service.unavailable', ['Retry-After', '5']);
  store.requireStore();
  const caller = identify(call, operation.kind);
  if (caller) call.credentialId = caller.credential_id;
  const isAccepted = caller
    ? countCredential(call, caller.credential_id)
    : countFailure(call, String(request.socket.remoteAddress));
  if (!isAccepted) refuse(call, 'request.rate-limit.exceeded');
  else if (!caller)
    refuse(call, 'request.authentication.invalid-token', ['WWW-Authenticate', challenge(call, operation.kind)]);
  else operation.run(call, caller);
}

const isCasePath = (path: string) =>
  path.length > casePath.length && path.startsWith(casePath) && !path.includes('/', casePath.length);

function refuseUnmatched(call: Call, code: ErrorCode, headers: readonly string[] = []): void {
  call.request.resume();
  countOther(call, String(call.request.socket.remoteAddress));
  refuse(call, code, headers);
}

const bearer = /^Bearer +(\S+)$/i;

function identify(call: Call, kind: CredentialKind): store.Caller | undefined {
  const { headers } = call.request;
  const value = headers[kind === 'api-key' ? 'x-api-key' : 'authorization'];
  if (typeof value !== 'string') return undefined;
  const secret = kind === 'api-key' ? value : bearer.exec(value)?.[1];
  if (secret === undefined || !isWellFormedSecret(secret, kind, 'uk')) return undefined;
  if (kind === 'access-token' && headerValues(call.request, 'authorization').length !== 1) return undefined;
  call.hash = hashSecret(secret);
  return store.findCaller(call.hash, kind);
}

function challenge({ request }: Call, kind: CredentialKind): string {
  const realm = 'realm="document-analysis-uk"';
  if (kind === 'api-key') return `ApiKey ${realm}`;
  return request.headers.authorization === undefined ? `Bearer ${realm}` : `Bearer ${realm}, error="invalid_token"`;
}

function permitted(call: Call, caller: store.Caller, may: 1 | null): boolean {
  if (may !== 1) refuse(call, 'request.forbidden');
  else if (caller.featured !== 1) refuse(call, 'request.organisations.feature-flag.not-enabled');
  return may === 1 && caller.featured === 1;
}

/** Counts requests against a limit as the program does, and keeps the headers that state it; false if it is exceeded. */
function counterOf(name: string) {
  const countRequest = memoryRateLimits.counterOf({ name, requests: quota, windowSeconds });
  const policy = ['RateLimit-Policy', `"${name}";q=${quota};w=${windowSeconds}`];
  return (call: Call, key: string): boolean => {
    const { accepted, remaining, resetSeconds } = countRequest(key) as RateLimitCount;
    call.limit = [...policy, 'RateLimit', `"${name}";r=${remaining};t=${resetSeconds}`];
    if (!accepted) call.limit.push('Retry-After', String(resetSeconds));
    return accepted;
  };
}

const countCredential = counterOf('credential');
const countFailure = counterOf('failed-authentication');
const countOther = counterOf('other');

/** Reads the body of an update, and saves concurrent updates together. */
function readUpdate(call: Call): void {
  const { request } = call;
  const { 'content-type': type, 'content-encoding': coding, 'content-length': length } = request.headers;
  if (!isJson(type) || (coding !== undefined && coding !== 'identity')) {
    request.resume();
    return refuse(call, 'request.media-type.unsupported');
  }
  if (Number(length) > maxBodyBytes) {
    request.resume();
    return refuse(call, 'request.body.too-large');
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= maxBodyBytes) chunks.push(chunk);
    else if (!call.response.headersSent) refuse(call, 'request.body.too-large');
  });
  request.on('end', () => {
    if (bytes > maxBodyBytes) return;
    const faults = faultsOf(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks));
    if (typeof faults !== 'boolean') return respondInvalid(call, faults);
    const update = Object.assign(call, { hash: call.hash as Buffer, enabled: faults });
    if (updates.push(update) === 1) setImmediate(writeAll);
  });
}

function writeAll(): void {
  const together = updates;
  updates = [];
  try {
    const saved = store.writeTogether(together);
    for (const [index, call] of together.entries())
      if (saved[index]) respond(call, 200, `{"enabled":${call.enabled}}`);
      else refuse(call, 'request.forbidden');
  } catch (error) {
    for (const call of together) fail(call, error);
  }
}

const isJson = (type = '') =>
  type === 'application/json' || /^application\/json *(; *charset="?utf-8"? *)?$/i.test(type);

interface Fault {
  readonly field: string;
  readonly message: string;
  readonly rule: string;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** The value of the body, or what is wrong with it in the words of the validator. */
function faultsOf(content: Buffer): boolean | readonly Fault[] {
  let body: unknown;
  try {
    body = JSON.parse(utf8.decode(content));
  } catch {
    const [message, rule] = content.length === 0 ? ['must not be empty', 'required'] : ['must be valid JSON', 'json'];
    return [{ field: '', message, rule }];
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    return [{ field: '', message: 'must be object', rule: 'type' }];
  const { enabled } = body as { enabled?: unknown };
  const faults = Object.keys(body)
    .filter((field) => field !== 'enabled')
    .map((field): Fault => ({ field, message: 'must NOT have additional properties', rule: 'additionalProperties' }));
  if (enabled === undefined)
    faults.unshift({ field: 'enabled', message: "must have required property 'enabled'", rule: 'required' });
  else if (typeof enabled !== 'boolean') faults.push({ field: 'enabled', message: 'must be boolean', rule: 'type' });
  return faults.length === 0 ? (enabled as boolean) : faults;
}

function respondInvalid(call: Call, faults: readonly Fault[]): void {
  const details = { field: faults[0]?.field, errors: faults };
  const { status, body } = new Refusal('request.validation.failed', { details });
  respond(call, status, JSON.stringify(body));
}

const textOf = (code: string) => {
  const { status, body } = new Refusal(code as ErrorCode);
  return [code, { status, text: JSON.stringify(body) }] as const;
};
const refusals = Object.fromEntries(Object.keys(errors).map(textOf)) as Record<ErrorCode, ReturnType<typeof textOf>[1]>;

function refuse(call: Call, code: ErrorCode, headers?: readonly string[]): void {
  const { status, text } = refusals[code];
  respond(call, status, text, headers);
}

const fixed = ['Content-Type', 'application/json', ...Object.entries(securityHeaders).flat()];

/** Sends a response with one write. */
function respond(call: Call, status: number, body: string | Buffer, headers: readonly string[] = []): void {
  const { request, response, requestId, limit } = call;
  const length = typeof body === 'string' ? Buffer.byteLength(body) : body.length;
  const own = ['Content-Length', String(length), 'X-Request-Id', requestId];
  response.writeHead(status, [...fixed, ...own, ...limit, ...headers]);
  // A string is sent together with the head, and an ASCII string need not be encoded.
  if (isHead(request)) response.end();
  else if (typeof body === 'string') response.end(body, body.length === length ? 'latin1' : 'utf8');
  else response.end(body);
}

/** Logs a request whose response is complete, or whose client has gone. */
function log({ request, response, requestId, operationId, isFinished, startedAt, trace, credentialId }: Call): void {
  destination.write(
    `{"level":30,"time":${Date.now()},"requestId":"${requestId}","method":"${isHead(request) ? 'HEAD' : request.method}"` +
      `${operationId === undefined ? '' : `,"operationId":"${operationId}"`}` +
      `${response.headersSent ? `,"status":${response.statusCode}` : ''}${isFinished ? '' : ',"aborted":true'}` +
      `,"durationMs":${performance.now() - startedAt}` +
      `${trace === undefined ? '' : `,"traceId":"${trace.traceId}","spanId":"${trace.spanId}"`}` +
      `${credentialId === undefined ? '' : `,"credentialId":"${credentialId}"`},"msg":"request completed"}\n`,
  );
}
