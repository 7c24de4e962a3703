/** Conditional reads: a request with the validator of the last response gets 304 where the document has it, and all of it elsewhere. */
import { isMocked } from '../oracle/response.ts';
import type { Headers } from '../dimensions/credential-scheme.ts';
import type { Baseline } from '../plan/baseline.ts';
import { expectStatus, expectSuccess } from '../plan/expect.ts';
import type { HttpResponse } from '../run/model.ts';
import { type Client, fail, isSuccess, type Relation, unmet } from './client.ts';

export function conditionalRelation(baseline: Baseline): Relation {
  const { operation, isOwn } = baseline;
  const isRead = operation.method === 'get';
  const isDocumented = operation.responses['304'] !== undefined;
  return {
    id: isDocumented ? 'not-modified' : 'conditional',
    title: `a request with the validator of the last response gets ${isDocumented ? '304' : 'all of it'}`,
    about: isRead && (isDocumented || isOwn) ? baseline : undefined,
    run: (client) => (isDocumented ? checkNotModified : checkSentWhole)(client, baseline),
  };
}

/** The plain response. That it is a success, the plan checks. */
async function readOnce(client: Client, baseline: Baseline) {
  const at = await client.locate(baseline.operation.path);
  const first = await client.send(baseline, { at });
  if (!isSuccess(first)) unmet(`missing: a read that succeeds (it responds ${first.status})`);
  return { at, first };
}

/** RFC 9110, section 15.4.5. */
async function checkNotModified(client: Client, baseline: Baseline): Promise<void> {
  const { at, first } = await readOnce(client, baseline);
  if (isMocked(first)) unmet('the server responds with an example, whatever it is sent');
  const [validator] = validatorsOf(first);
  if (!validator) unmet('missing: an ETag or a Last-Modified in the response');
  const second = await client.send(baseline, { at, headers: [validator] });
  // It may have changed in between.
  const [now = validator] = validatorsOf(second);
  if (second.status !== first.status || now[1] === validator[1]) expectStatus(second, 304);
}

/** The conditional headers with the validators of a response. */
function validatorsOf({ headers: { etag, 'last-modified': modified } }: HttpResponse): Headers[number][] {
  return [
    ...(etag === undefined ? [] : [['If-None-Match', etag] as const]),
    ...(modified === undefined ? [] : [['If-Modified-Since', modified] as const]),
  ];
}

async function checkSentWhole(client: Client, baseline: Baseline): Promise<void> {
  const { at, first } = await readOnce(client, baseline);
  const { etag = '"none"', date = new Date().toUTCString(), 'last-modified': modified = date } = first.headers;
  const opaque = etag.replace(/^W\//, '');
  const [matching, since] = [['If-None-Match', etag] as const, ['If-Modified-Since', modified] as const];
  const [listed, ranged] = [['If-None-Match', `"other", W/${opaque}`] as const, ['If-Range', opaque] as const];
  for (const headers of [[matching], [listed], [since], [matching, since], [['Range', 'bytes=0-0'] as const, ranged]]) {
    const response = await client.send(baseline, { at, headers });
    expectSuccess(baseline, response);
    if (response.text !== first.text && (await client.send(baseline, { at })).text === first.text)
      fail('expected the same body as without a condition', response);
  }
}
