/** Relations of HTTP itself (RFC 9110), where a document has them: methods, HEAD, preconditions and validators. */
import type { Headers } from '../dimensions/credential-scheme.ts';
import { isMocked } from '../oracle/response.ts';
import { oracleOf } from '../oracle/schema.ts';
import { type Baseline, expectStatus, expectSuccess } from '../plan/baseline.ts';
import type { HttpResponse } from '../run/model.ts';
import { bodyFor } from './access.ts';
import { changesOf } from './acting/changes.ts';
import type { Client } from './client.ts';
import { fail, headerOf, isSuccess, refusedWith, unmet } from './exchange.ts';
import { ownFields } from './model.ts';
import type { Resource } from './resources.ts';
import { placeOfUpload } from './uploads.ts';
import { sentencesOf } from './said.ts';

/** A response to HEAD has the length of that to GET, or none (RFC 9110, section 8.6). */
export async function checkHead(client: Client, about: Baseline): Promise<void> {
  const upload = client.run.uploads.find(({ read }) => read === about);
  const at = upload ? await placeOfUpload(client, upload) : await client.locate(about.operation.path);
  const get = () => client.send(about, { at });
  const first = await get();
  const head = await client.send(about, { at, method: 'HEAD' });
  const second = await get();
  const { 'content-length': length } = head.headers;
  if (!isSuccess(first) || head.status !== first.status || length === undefined) return;
  // The length of a compressed body is only stated.
  const [one, other] = [first, second].map(
    ({ headers: { 'content-encoding': coding, 'content-length': stated }, bytes }) =>
      coding === undefined ? bytes?.length : Number(stated),
  );
  if (one !== undefined && one === other && Number(length) !== one)
    fail(`HEAD has the Content-Length ${length}, and the body of GET has ${one} bytes`, head);
}

export async function checkStale(client: Client, resource: Resource, about: Baseline): Promise<void> {
  const item = await client.create(resource);
  const update = (resource.change ?? resource.replace) as Baseline;
  const { etag: stale = unmet('missing: an ETag of what was created') } = (await client.find(item)).response.headers;
  const bodies = [
    (await bodyFor(client, item, update)) ?? {},
    ...(update === resource.change ? await changesOf(client, resource) : []),
  ];
  let present = stale;
  for (const each of bodies)
    if (present === stale && (await client.update(item, update, each)))
      ({ etag: present = stale } = (await client.find(item)).response.headers);
  if (present === stale) unmet('missing: an update that the server accepts, and that changes the ETag');
  const { entity: now = {} } = await client.find(item);
  if (stale.startsWith('W/')) unmet('missing: a strong ETag');
  const body = await bodyFor(client, item, about);
  const sendFor = (value: string) => client.send(about, { at: item.at, headers: [['If-Match', value]], body });
  const isAllowed = oracleOf(headerOf(about, /^if-match$/i)?.schema ?? {});
  for (const value of [stale, '"never-given"', '"0123456789abcdef"'].filter((each) => isAllowed(each).length === 0)) {
    const response = await sendFor(value);
    if (response.status !== 412)
      fail(`expected status 412 for the stale ETag ${value}, got ${response.status}`, response);
    await client.expectRead(item, 'a stale precondition', ownFields(resource, now));
  }
  const response = await sendFor(present);
  if (response.status === 412) fail('the present ETag is refused as stale', response);
  await checkStaleAtOnce(client, resource, update);
}

/** Of different updates with one ETag at the same time, one is accepted: the others would overwrite it (RFC 9110, section 13.1.1). */
async function checkStaleAtOnce(client: Client, resource: Resource, update: Baseline): Promise<void> {
  const item = await client.create(resource);
  const { etag = '' } = (await client.find(item)).response.headers;
  const bodies = [await bodyFor(client, item, update), await bodyFor(client, item, update)];
  const send = (body: unknown) => client.send(update, { at: item.at, headers: [['If-Match', etag]], body });
  const accepted = (await Promise.all(bodies.map(send))).filter(isSuccess);
  const isChanged = JSON.stringify(bodies[0]) !== JSON.stringify(bodies[1]);
  if (isChanged && accepted.length > 1 && accepted[1])
    fail(`two different updates with the ETag ${etag} at the same time are both accepted`, accepted[1]);
}

const methods = ['GET', 'PUT', 'POST', 'DELETE', 'PATCH'];

/** The methods that a path does not document. A path such as `/books/new` may be read as that of a book. */
export function unlistedMethods({ operation, document }: Baseline): string[] {
  const alike = document.operations.filter(({ path }) => isSamePath(path, operation.path));
  return methods.filter((method) => !alike.some((each) => each.method.toUpperCase() === method));
}

function isSamePath(one: string, other: string): boolean {
  const [ones, others] = [one.split('/'), other.split('/')];
  const isSame = (segment: string, at: number) => segment === others[at] || `${segment}${others[at]}`.includes('{');
  return ones.length === others.length && ones.every(isSame);
}

export async function checkUnlistedMethods(client: Client, baseline: Baseline): Promise<void> {
  const { document, operation } = baseline;
  const at = await client.locate(operation.path);
  const here = document.operations.filter(({ path }) => path === operation.path);
  const documented = here.map(({ method }) => method.toUpperCase());
  for (const method of unlistedMethods(baseline)) {
    const response = await client.send(baseline, { at, method });
    if (!baseline.refusals.method.includes(response.status))
      fail(`expected status 405 for ${method}, got ${response.status}`, response);
    const { allow } = response.headers;
    const { headers: promised = {} } = operation.responses['405'] ?? {};
    if (response.status === 405 && allow === undefined && Object.keys(promised).some((name) => /^allow$/i.test(name)))
      fail('expected Allow, which the document has with 405', response);
    const lost = documented.find((each) => allow !== undefined && !allow.toUpperCase().split(/[ ,]+/).includes(each));
    if (response.status === 405 && lost !== undefined)
      fail(`Allow is ${allow ?? ''} and leaves out ${lost}, which the document has`, response);
  }
}

/** A conditional read gets 304 where the document has it (RFC 9110, section 15.4.5), and all of it elsewhere. */
export async function checkConditional(client: Client, baseline: Baseline): Promise<void> {
  const at = await client.locate(baseline.operation.path);
  const first = await client.send(baseline, { at });
  if (!isSuccess(first)) refusedWith('a read that succeeds', first);
  const read = (...headers: Headers) => client.send(baseline, { at, headers });
  const isPromised = baseline.operation.responses['304'] !== undefined;
  if (isPromised && isMocked(first)) unmet('the server responds with an example, whatever it is sent');
  const validatorOf = ({ headers: { etag, 'last-modified': modified } }: HttpResponse): Headers[number] | undefined =>
    etag !== undefined ? ['If-None-Match', etag] : modified !== undefined ? ['If-Modified-Since', modified] : undefined;
  const validator = validatorOf(first);
  if (!validator) return isPromised ? unmet('missing: an ETag or a Last-Modified in the response') : undefined;
  const second = await read(validator);
  // What the client knows is older, or something else.
  for (const other of ['If-None-Match: "never-given"', 'If-Modified-Since: Thu, 01 Jan 1970 00:00:00 GMT']) {
    const [, name = '', value = ''] = /^([^:]+): (.+)$/.exec(other) ?? [];
    const whole = isPromised && (await read([name, value]));
    if (whole && whole.status === 304) fail(`expected ${first.status} for ${other}, got 304`, whole);
  }
  if (!isPromised) {
    expectSuccess(baseline, second);
    return;
  }
  const { description = '' } = headerOf(baseline, /^if-none-match$/i) ?? {};
  const ofDocument = sentencesOf(baseline.document.description).filter((sentence) =>
    sentence.includes('If-None-Match'),
  );
  const isListed = [description, ...ofDocument].some((said) => /comma|list|several|RFC ?(9110|7232)/i.test(said));
  const listed = validator[0] === 'If-None-Match' && isListed;
  const third = listed && (await read([validator[0], `"never-given", ${validator[1]}`]));
  if (third && second.status === 304) expectStatus(third, 304);
  // It may have changed in between.
  const [, now] = validatorOf(second) ?? validator;
  if (second.status !== first.status || now === validator[1]) expectStatus(second, 304);
}
