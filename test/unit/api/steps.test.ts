/** The steps of a request's way that need no server to be seen. */
import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { expect, jest, test, afterEach } from '@jest/globals';
import type { Request, RequestHandler, Response } from 'express';
import { pino } from 'pino';
import { middleware } from 'express-openapi-validator';
import { OpenApiValidator } from 'express-openapi-validator/dist/openapi.validator.js';
import { operationsOf, ownApi } from '../../../src/api/api-description.ts';
import { malformed } from '../../../src/api/errors.ts';
import { canonicaliseRequest, takeTraceContext } from '../../../src/api/steps/arrival.ts';
import { readBody } from '../../../src/api/steps/read-body.ts';
import { requestLog } from '../../../src/api/steps/request-log.ts';
import { LargeBodyPace, sendJsonText } from '../../../src/api/send-response.ts';
import { JsonText } from '../../../src/store/case-texts/json-text.ts';
import { openApiDocument } from '../../../src/domain/case-import.ts';

/** Has a step take a request, and gives that when the next one is called, with the error that it is called with. */
async function take(step: RequestHandler, request: object, response: object = {}) {
  const taken = request as Request;
  const error: unknown = await new Promise((resolve) => void step(taken, response as Response, resolve));
  return { request: taken, error };
}

const [traceId, spanId] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331'];
const traceOf = async (traceparent?: string) =>
  (await take(takeTraceContext, { headers: { traceparent } })).request.trace;

test.each([
  [`00-${traceId}-${spanId}-01`, 1],
  [`00-${traceId}-${spanId}-00`, 0],
  [`cc-${traceId}-${spanId}-ff`, 255],
  [`01-${traceId}-${spanId}-01-what-a-later-version-adds`, 1],
])('the trace of a request: %s is taken over', async (traceparent, traceFlags) => {
  expect(await traceOf(traceparent)).toEqual({ traceId, spanId, traceFlags });
});

test.each([
  ...[undefined, '', `00-${traceId}-${spanId}`, `00-${traceId}-${spanId}-1`, `00-${traceId}-${spanId}-01-`],
  ...[`00-${traceId}-${spanId}-01-more`, `01-${traceId}-${spanId}-01more`, `ff-${traceId}-${spanId}-01`],
  ...[`00-${traceId.toUpperCase()}-${spanId}-01`, `00-${'0'.repeat(32)}-${spanId}-01`],
  ...[`00-${traceId}-${'0'.repeat(16)}-01`, ` 00-${traceId}-${spanId}-01`],
  `00-${traceId}-${spanId}-01, 00-${traceId}-${spanId}-01`,
])('the trace of a request: %j is none, and the request goes on without one', async (traceparent) => {
  expect(await traceOf(traceparent)).toBeUndefined();
});

test('a body that breaks off is malformed, and not too large', async () => {
  const operation = operationsOf(ownApi).get('updateVerificationSetting');
  const headers = { 'content-type': 'application/json', 'content-length': '16' };
  const request = Object.assign(new PassThrough(), { headers, operation });
  const outcome = take(readBody, request);
  request.write('{"enabled"');
  request.emit('aborted');
  expect((await outcome).error).toEqual(malformed());
});

test('the media type of a request is taken away if its operation has no body: the validator would keep each it meets', async () => {
  const operation = operationsOf(ownApi).get('getCase');
  const { request } = await take(readBody, { headers: { 'content-type': 'text/plain; p=1' }, operation });
  expect(request.headers).toEqual({});
});

const logger = (lines: string[]) => pino({ base: null }, { write: (line: string) => lines.push(line) });

async function logged(request: object, response: object, finished = true, bound: object = {}): Promise<string> {
  const lines: string[] = [];
  const emitter = Object.assign(new EventEmitter(), response);
  await take(requestLog(logger(lines).child(bound)), { id: 'x', method: 'GET', ...request }, emitter);
  expect(lines).toEqual([]);
  if (finished) emitter.emit('finish');
  emitter.emit('close');
  expect(lines).toHaveLength(1);
  return lines.join();
}

const whole = {
  ...{ method: 'GET', url: '/cases/secret?secret', headers: { authorization: 'secret' }, body: 'secret' },
  operation: { operationId: 'getCase' },
  principal: { credentialId: 'key-1', organisationId: 'secret' },
};
const known = { operationId: 'getCase', status: 200, credentialId: 'key-1' };
const trace = { traceId, spanId };
const overloaded = { trace: { ...trace, traceFlags: 1 }, overloaded: true };
const sent = { finished: true, headersSent: true };
const unsent = { finished: false, headersSent: false };
test.each<[what: string, request: object, statusCode: number, how: typeof sent, line: object]>([
  ['with its operation and credential, and nothing that the request holds', whole, 200, sent, known],
  ['without those that are unknown', { method: 'HEAD' }, 404, sent, { method: 'HEAD', status: 404 }],
  ['that says so if the client did not wait', {}, 200, { ...sent, finished: false }, { status: 200, aborted: true }],
  ['without a status if the client did not wait for one', {}, 200, unsent, { aborted: true }],
  ['with the status that its connection was refused with', {}, 408, unsent, { status: 408 }],
  ['with its trace, and that it was overloaded', overloaded, 503, sent, { ...trace, overloaded: true, status: 503 }],
])('a response is logged as one line: %s', async (_what, request, statusCode, { finished, headersSent }, line) => {
  const text = await logged(request, { statusCode, headersSent }, finished);
  const { time, durationMs, ...rest } = JSON.parse(text) as Record<string, unknown>;
  expect(rest).toEqual({ level: 30, requestId: 'x', method: 'GET', msg: 'request completed', ...line });
  expect(time).toEqual(expect.any(Number));
  expect(durationMs).toBeGreaterThan(0);
  expect(durationMs).toBeLessThan(1000);
});

test('a response is logged as one line as the logger itself writes it, with what it is bound to', async () => {
  const operation = { operationId: 'a "quoted" one' };
  const line = await logged({ operation }, { statusCode: 200, headersSent: true }, true, { server: 2 });
  const { level, time, server, msg, ...own } = JSON.parse(line) as Record<string, unknown>;
  expect([level, server, msg]).toEqual([30, 2, 'request completed']);
  const lines: string[] = [];
  logger(lines).child({ server: 2 }).info(own, 'request completed');
  expect(lines[0]?.replace(/"time":\d+/, '')).toBe(line.replace(`"time":${String(time)}`, ''));
});

test('HEAD tells the same length, and lets the text go without reading it', async () => {
  const req = { method: 'HEAD', url: '/', id: 'request-1' } as Request;
  canonicaliseRequest(req);
  const response = { req, writeHead: jest.fn(), end: jest.fn() };
  const [sendTo, discard] = [jest.fn(), jest.fn()];
  const text = new JsonText<object>(14, sendTo as () => undefined, discard);
  await sendJsonText(response as unknown as Response, 200, text);
  expect(response.writeHead.mock.calls).toEqual([[200, expect.arrayContaining(['Content-Length', 14])]]);
  expect(response.end.mock.calls).toEqual([[]]);
  expect([sendTo.mock.calls.length, discard.mock.calls.length]).toEqual([0, 1]);
});

/** Asks for parts at once; tells which of them may be sent so far. */
function askFor(pace: LargeBodyPace, parts: number): number[] {
  const sent: number[] = [];
  for (let part = 1; part <= parts; part += 1) void pace.beforePart().then(() => sent.push(part));
  return sent;
}

afterEach(() => {
  jest.useRealTimers();
});

test('large bodies are sent as fast as they are taken; while others are, together a part a millisecond, in their order', async () => {
  jest.useFakeTimers();
  const pace = new LargeBodyPace();
  const alone = askFor(pace, 5);
  await jest.advanceTimersByTimeAsync(0);
  expect(alone).toEqual([1, 2, 3, 4, 5]);
  pace.otherSent();
  const sent = askFor(pace, 3);
  for (const expected of [[1], [1, 2], [1, 2, 3]]) {
    await jest.advanceTimersByTimeAsync(Number(expected.length > 1));
    expect(sent).toEqual(expected);
  }
  await jest.advanceTimersByTimeAsync(200);
  const later = askFor(pace, 5);
  await jest.advanceTimersByTimeAsync(0);
  expect(later).toEqual([1, 2, 3, 4, 5]);
});

/** What src/api/steps/validate.ts uses of express-openapi-validator beside its public interface. */
type Specification = Awaited<Parameters<OpenApiValidator['installMiddleware']>[0]>;
type Options = ConstructorParameters<typeof OpenApiValidator>[0];

const options = (): Options => ({
  apiSpec: structuredClone(openApiDocument) as Exclude<Options['apiSpec'], string>,
  validateApiSpec: false,
  validateRequests: { allErrors: true, allowUnknownQueryParameters: true },
  validateResponses: false,
  validateSecurity: false,
  fileUploader: false,
});

test('the class makes the steps that the public interface makes, one of them for the rules of a request', () => {
  const document = options().apiSpec as object;
  const specification = { apiDoc: document, basePaths: [], routes: [], serial: 0 } as unknown as Specification;
  const steps = new OpenApiValidator(options()).installMiddleware(Promise.resolve(specification));
  const names = steps.map(({ name }) => name);
  expect(names).toEqual(middleware(options()).map(({ name }) => name));
  expect(names.filter((name) => name === 'requestMiddleware')).toHaveLength(1);
});
