/**
 * A server of a document's resources, in memory. The document says what is valid; what is created in a collection is in its list, and can
 * be read, replaced, changed and removed at its path. What is peculiar to an API is written for its kinds of items and its operations.
 */
import type { IncomingHttpHeaders, OutgoingHttpHeaders, RequestListener } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { type ApiDocument, matchOperation, type Operation } from '../../contract/document/index.ts';
import { readBody } from '../../contract/oracle/body.ts';
import { isObject } from '../../contract/oracle/json.ts';
import type { ReceivedRequest } from '../../contract/oracle/messages.ts';
import { type RequestFault, requestFaults } from '../../contract/oracle/request.ts';

export type Reply = readonly [status: number, value?: unknown, headers?: OutgoingHttpHeaders];
/** A status without a body; an item or several, as they are shown; or a whole reply. */
export type Outcome<F> = number | F | F[] | Reply;

/** A kind of items, whose fields are among `F`. */
export interface Kind<F extends object> {
  /** The field that identifies an item; `id` if none is named. */
  readonly key?: string;
  /** What an item has that nobody need send. */
  readonly initial?: (call: Call<F>) => object;
  /** The status with which fields are refused that the document allows. @param item the one that would have them, if it exists */
  readonly refused?: (fields: F, call: Call<F>, item?: F) => number | undefined;
  /** What there is from the start, for all. */
  readonly given?: readonly object[];
  readonly listed?: (items: F[], call: Call<F>) => Outcome<F>;
  readonly shown?: (item: F, call: Call<F>) => object;
  readonly etag?: (item: F) => string;
  /** Whether a caller sees an item; if this is not written, all see their own alone. */
  readonly isSeen?: (item: F, call: Call<F>, isOwn: boolean) => boolean;
}

export interface Behaviour<F extends object> {
  /** By the names of their collections, as they are in paths. */
  readonly kinds: Readonly<Record<string, Kind<F>>>;
  /** What operations do otherwise than usual, by their ids. */
  readonly acts?: Readonly<Record<string, (call: Call<F>) => Outcome<F>>>;
  /** For whom a request is, or the status with which it is refused. */
  readonly caller?: (headers: IncomingHttpHeaders, operation: Operation) => string | number;
  /** What becomes of a request that the document forbids; if this is not written, it is refused with the documented status. */
  readonly invalid?: (faults: readonly RequestFault[], call: Call<F>, act: () => Outcome<F>) => Outcome<F>;
  /** The body that has an item or several. */
  readonly enveloped?: (shown: object) => object;
  readonly mediaType?: string;
}

/** A request that calls an operation of the document. */
export interface Call<F extends object> {
  readonly operation: Operation;
  /** That of the request, which may be HEAD. */
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly query: URLSearchParams;
  readonly body: Buffer;
  /** The value of the body. */
  readonly sent: F;
  /** What it says of the fields that may be sent, with their defaults. */
  readonly fields: F;
  /** The texts of the path's parameters. */
  readonly texts: readonly string[];
  /** Who calls. */
  readonly of: string;
  /** The items that the path names, the first and the last; the last is undefined if the operation may create it. */
  readonly owner: F;
  readonly item: F;
  /** The items of a kind that the caller sees. @param within what they belong to */
  readonly all: (kind: string, within?: F) => F[];
  /** Those of every caller. */
  readonly ofAnybody: (kind: string) => F[];
  readonly find: (kind: string, id: unknown) => F | undefined;
  readonly create: (kind: string, fields: object, within?: F) => F;
  /** Removes an item, with what belongs to it. */
  readonly remove: (item: F) => void;
  /** The status with which fields are refused, if they are. */
  readonly refusal: (kind: string, fields: object, item?: F) => number | undefined;
  readonly shown: (item: F) => object;
  /** What an operation does of which nothing is written. */
  readonly usual: () => Outcome<F>;
}

interface Stored<F> {
  readonly kind: string;
  readonly of: string;
  readonly within: F | undefined;
  readonly item: F;
}

type Received = ReceivedRequest & { readonly body: Buffer };

export function resourceServer<F extends object>(api: ApiDocument, behaviour: Behaviour<F>): RequestListener {
  const { kinds, acts = {}, caller = () => '', enveloped = (shown) => shown } = behaviour;
  const { mediaType = 'application/json', invalid = (_faults, { operation }) => statusOf(operation, /^4(00|22)$/) } =
    behaviour;
  let stored = Object.entries(kinds).flatMap(([kind, { given = [] }]) =>
    given.map((item): Stored<F> => ({ kind, of: '', within: undefined, item: item as F })),
  );
  let created = 0;

  const hasId = ({ kind, item }: Stored<F>, id: unknown) =>
    String(Reflect.get(item, kinds[kind]?.key ?? 'id')) === String(id);

  function newId(kind: string): string | number {
    created += 1;
    const ofOne = api.operations.find(({ path }) => new RegExp(`/${kind}/\\{\\w+\\}$`).test(path));
    const schema = ofOne?.parameters.findLast((each) => each.in === 'path')?.schema;
    const [, prefix = ''] = /^\^(\w+_)\[/.exec(schema?.pattern ?? '') ?? [];
    const random = crypto.randomUUID();
    return schema?.type === 'integer' ? created : prefix === '' ? random : `${prefix}${random.slice(0, 8)}`;
  }

  function callOf(operation: Operation, received: Received, headers: IncomingHttpHeaders, of: string) {
    const { pathname, searchParams: query } = new URL(received.path, 'http://localhost');
    const segments = operation.path.split('/');
    const pattern = new RegExp(`^${operation.path.replaceAll(/\{\w+\}/g, '([^/]+?)')}$`);
    const texts = (pattern.exec(pathname) ?? []).slice(1).map(decodeURIComponent);
    const seen = (kind: string): Stored<F>[] => stored.filter((each) => each.kind === kind && isSeen(each));
    const isSeen = (each: Stored<F>): boolean => {
      const isOwn = each.of === of;
      return kinds[each.kind]?.isSeen?.(each.item, call, isOwn) ?? isOwn;
    };
    const path: (F | undefined)[] = [];
    const { method, body } = received;
    const call = {
      ...{ operation, method, headers, query, body, texts, of, ...bodyOf<F>(operation, received) },
      ...{ owner: undefined as unknown as F, item: undefined as unknown as F },
      all: (kind: string, within?: F) =>
        seen(kind).flatMap((each) => (within === undefined || each.within === within ? [each.item] : [])),
      ofAnybody: (kind: string) => stored.filter((each) => each.kind === kind).map(({ item }) => item),
      find: (kind: string, id: unknown) => seen(kind).find((each) => hasId(each, id))?.item,
      create(kind: string, fields: object, within?: F): F {
        const item = { [kinds[kind]?.key ?? 'id']: newId(kind), ...kinds[kind]?.initial?.(call), ...fields } as F;
        stored.push({ kind, of, within, item });
        return item;
      },
      remove(item: F): void {
        for (const part of stored.filter(({ within }) => within === item)) call.remove(part.item);
        stored = stored.filter((each) => each.item !== item);
      },
      refusal: (kind: string, fields: object, item?: F) => kinds[kind]?.refused?.(fields as F, call, item),
      shown(item: F): object {
        const kind = stored.find((each) => each.item === item)?.kind ?? '';
        return kinds[kind]?.shown?.(item, call) ?? item;
      },
      usual(): Outcome<F> {
        const { fields, item } = call;
        const isOfOne = operation.path.endsWith('}');
        const kind = segments.at(isOfOne ? -2 : -1) ?? '';
        if (!kinds[kind]) return 404;
        if (operation.method === 'get' && isOfOne) return item;
        if (operation.method === 'get') return kinds[kind].listed?.(call.all(kind, item), call) ?? call.all(kind, item);
        if (operation.method === 'delete') {
          call.remove(item);
          return statusOf(operation, /^2/);
        }
        if (!isOfOne) return call.refusal(kind, fields) ?? call.create(kind, fields, item);
        return call.refusal(kind, { ...item, ...fields }, item) ?? Object.assign(item, fields);
      },
    };
    const named = segments.filter((_each, at) => segments[at + 1]?.startsWith('{') === true);
    for (const [at, kind] of named.entries()) {
      const isMeant = (each: Stored<F>) => hasId(each, texts[at]) && (path.length === 0 || each.within === path.at(-1));
      if (kinds[kind]) path.push(seen(kind).find(isMeant)?.item);
    }
    const whole = Object.assign(call, { owner: path[0], item: path.at(-1) }) as Call<F>;
    return { call: whole, isThere: !path.includes(undefined) };
  }

  function respond(operation: Operation, received: Received, headers: IncomingHttpHeaders): Reply {
    const of = caller(headers, operation);
    if (typeof of === 'number') return [of];
    const faults = requestFaults(operation, received);
    const { call, isThere } = callOf(operation, received, headers, of);
    const mayCreate = operation.method === 'put' && '201' in operation.responses;
    if (faults.some(({ parameter }) => parameter?.in === 'path') || !(isThere || mayCreate)) return [404];
    const act = () => acts[operation.operationId]?.(call) ?? call.usual();
    const outcome = faults.length > 0 ? invalid(faults, call, act) : act();
    if (typeof outcome === 'number') return [outcome];
    if (isReply(outcome)) return outcome;
    const status = statusOf(operation, /^2/);
    if (Array.isArray(outcome)) return [status, enveloped(outcome.map(call.shown))];
    const etag = kinds[stored.find((each) => each.item === outcome)?.kind ?? '']?.etag?.(outcome);
    return [status, enveloped(call.shown(outcome)), etag === undefined ? {} : { ETag: etag }];
  }

  return (request, response) => {
    void buffer(request).then((body) => {
      const { method = '', url: path = '', headers, headersDistinct } = request;
      const operation = matchOperation(api, method, path);
      const received = { method, path, headers: headersDistinct, body, bodyBytes: body.length };
      const [status, value, more] = operation ? respond(operation, received, headers) : [404];
      const isText = typeof value === 'string';
      const content = isText || value === undefined || Buffer.isBuffer(value) ? value : JSON.stringify(value);
      const length = content === undefined ? {} : { 'Content-Length': Buffer.byteLength(content) };
      const type = isText ? 'text/csv' : Buffer.isBuffer(value) ? 'application/octet-stream' : mediaType;
      response.writeHead(status, { 'Content-Type': type, ...length, ...more }).end(content);
    });
  };
}

function isReply<F>(outcome: F | F[] | Reply): outcome is Reply {
  return Array.isArray(outcome) && typeof outcome[0] === 'number';
}

/** The first documented status of an operation that matches. */
function statusOf({ responses }: Operation, pattern: RegExp): number {
  return Number(Object.keys(responses).find((status) => pattern.test(status)) ?? 400);
}

function bodyOf<F>({ method, requestBody }: Operation, received: Received): { sent: F; fields: F } {
  const read = requestBody && readBody(requestBody, received);
  const value = read && 'value' in read && isObject(read.value) ? read.value : {};
  const described = Object.entries((read && 'schema' in read && read.schema.properties) || {});
  const given = described.map(([name, schema]): [name: string, value: unknown] => {
    const initial = method === 'patch' ? undefined : schema.default;
    return [name, schema['readOnly'] === true ? undefined : name in value ? value[name] : initial];
  });
  return { sent: value as F, fields: Object.fromEntries(given.filter(([, each]) => each !== undefined)) as F };
}
