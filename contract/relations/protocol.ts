/** Relations of HTTP itself (RFC 9110), where a document has them: methods, HEAD, preconditions and validators. */
import type { Headers } from '../dimensions/credential-scheme.ts';
import { isMocked } from '../oracle/response.ts';
import { oracleOf } from '../oracle/schema.ts';
import { type Baseline, expectStatus, expectSuccess } from '../plan/baseline.ts';
import type { HttpResponse } from '../run/model.ts';
import { bodyFor } from './access.ts';
import { changesOf } from './acting/changes.ts';
import type { Client } from './client.ts';
import type { Schema } from '../document/model.ts';
import { fieldsOf } from '../document/schemas.ts';
import { isObject } from '../oracle/json.ts';
import { fail, headerOf, isSuccess, refusedWith, type Sending, unmet } from './exchange.ts';
import { type Fields, isVersion, plainName } from './values.ts';
import { ownFields } from './model.ts';
import type { Resource } from './resources.ts';
import { placeOfUpload } from './uploads.ts';

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

type Version = string | number;

/** What a request has of an item, for the server to compare: its ETag in a header, or a version in the body. */
interface Precondition {
  readonly name: string;
  /** The statuses of a request with a stale one; any refusal if there are none. */
  readonly statuses: readonly number[];
  readonly presentIn: (found: Awaited<ReturnType<Client['find']>>) => Version | undefined;
  readonly sendingOf: (value: Version | undefined, body: Fields | undefined) => Pick<Sending, 'headers' | 'body'>;
  readonly schema: Schema;
}

/** The precondition of an operation, if its document says what a stale one gets. */
export function preconditionOf(about: Baseline | undefined): Precondition | undefined {
  const { 412: failed, 409: conflict } = about?.operation.responses ?? {};
  const header = headerOf(about, /^if-match$/i);
  if (failed && header)
    return {
      name: 'ETag',
      statuses: [412],
      presentIn: ({ response }) => response.headers['etag'],
      sendingOf: (value, body) => ({ headers: [['If-Match', String(value)]], body }),
      schema: header.schema,
    };
  const fields = fieldsOf(about?.payload?.schema);
  const inner = fieldsOf(fields['metadata']);
  const own = Object.keys(fields).find(isVersion);
  const [name = '', schema = {}] = Object.entries({ ...inner, ...fields }).find(([each]) => isVersion(each)) ?? [];
  if (name === '' || !(failed ?? conflict)) return undefined;
  const shown = plainName(name).replace(/^(expected|if)/, '');
  return {
    ...{ name, schema, statuses: [] },
    presentIn: ({ entity = {} }) => {
      const { metadata } = entity;
      const all = Object.entries({ ...(isObject(metadata) && metadata), ...entity });
      const [, value] = all.find(([each]) => plainName(each) === shown) ?? [];
      return typeof value === 'string' || typeof value === 'number' ? value : undefined;
    },
    sendingOf: (value, body = {}) => {
      const { metadata } = body;
      const place =
        own === undefined ? { metadata: { ...(isObject(metadata) && metadata), [name]: value } } : { [name]: value };
      return { body: { ...body, ...place } };
    },
  };
}

export async function checkStale(client: Client, resource: Resource, about: Baseline): Promise<void> {
  const { name, statuses, presentIn, sendingOf, schema } = preconditionOf(about) as Precondition;
  const item = await client.create(resource);
  const update = (resource.change ?? resource.replace) as Baseline;
  const present = async () => presentIn(await client.find(item));
  const stale = (await present()) ?? unmet(`missing: ${name} of what was created`);
  const bodies = [
    (await bodyFor(client, item, update)) ?? {},
    ...(update === resource.change ? await changesOf(client, resource) : []),
  ];
  let now = stale;
  for (const each of bodies)
    if (now === stale && (await client.update(item, update, each))) now = (await present()) ?? stale;
  if (now === stale) unmet(`missing: an update that the server accepts, and that changes the ${name}`);
  const { entity: seen = {} } = await client.find(item);
  if (String(stale).startsWith('W/')) unmet('missing: a strong ETag');
  const body = await bodyFor(client, item, about);
  const sendFor = (value: Version) => client.send(about, { at: item.at, ...sendingOf(value, body) });
  const others = name === 'ETag' ? ['"never-given"', '"0123456789abcdef"'] : [];
  for (const value of [stale, ...others].filter((each) => oracleOf(schema)(each).length === 0)) {
    const response = await sendFor(value);
    const isRefused = statuses.length > 0 ? statuses.includes(response.status) : !isSuccess(response);
    if (!isRefused)
      fail(`expected ${statuses[0] ?? 'a refusal'} for the stale ${name} ${value}, got ${response.status}`, response);
    await client.expectRead(item, 'a stale precondition', ownFields(resource, seen));
  }
  const response = await sendFor(now);
  if ((statuses.length > 0 ? statuses : [409, 412]).includes(response.status))
    fail(`the present ${name} is refused as stale`, response);
  if (preconditionOf(update)) await checkStaleAtOnce(client, resource, update);
}

/** Of different updates with one validator at the same time, one is accepted: the others would overwrite it (RFC 9110, section 13.1.1). */
async function checkStaleAtOnce(client: Client, resource: Resource, update: Baseline): Promise<void> {
  const { name, presentIn, sendingOf } = preconditionOf(update) as Precondition;
  const item = await client.create(resource);
  const present = presentIn(await client.find(item));
  const bodies = [await bodyFor(client, item, update), await bodyFor(client, item, update)];
  const send = (body: Fields | undefined) => client.send(update, { at: item.at, ...sendingOf(present, body) });
  const accepted = (await Promise.all(bodies.map(send))).filter(isSuccess);
  const isChanged = JSON.stringify(bodies[0]) !== JSON.stringify(bodies[1]);
  if (isChanged && accepted.length > 1 && accepted[1])
    fail(`two different updates with the ${name} ${String(present)} at the same time are both accepted`, accepted[1]);
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
  // It may have changed in between.
  const [, now] = validatorOf(second) ?? validator;
  if (second.status !== first.status || now === validator[1]) expectStatus(second, 304);
}
