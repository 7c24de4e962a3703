/** Rows of mutants: what breaks, where, and the edit that breaks it. All rows are written with the edits of this module. */
import type { ServerResponse } from 'node:http';
import { ownDocument } from '../document/own-document.ts';
import type { CredentialName } from '../run/model.ts';
import type { Behaviour, Mutant, Predicate, ProxiedRequest, ProxiedResponse, Send, ServerBehind } from './mutant.ts';
import { operationOf, secretOf } from './requests.ts';
import { type Save, saving, type Store, storing } from './store-edits.ts';

/**
 * Where a mutant shows its fault: the operation, which is `read`, `update`, `setting` for both, `case`, `none` or `*`; and where
 * it matters a regular expression for the status, HEAD, and the credentials, as in `case 200 HEAD` or `update 4.. by viewer_key`.
 * What else must be true of the request is said by predicates.
 */
export type Where = string | readonly [place: string, ...Predicate[]];

/** Changes a response, or returns its replacement. A request with HEAD comes as the same with GET. */
export type Change = (
  response: ProxiedResponse,
  request: ProxiedRequest,
  server: ServerBehind,
) => ProxiedResponse | undefined | Promise<ProxiedResponse | undefined>;

/** Edits as data. They are made in this order, and a request with HEAD is edited as the same with GET. */
export interface Edits {
  /** Sends another request in place of the one that matches. */
  readonly instead?: Rewrite;
  /** Sends another request after the one that matches, and responds as to that. */
  readonly again?: Rewrite;
  readonly save?: Save;
  readonly store?: Store;
  /** A change that remembers something from one response to the next. */
  readonly remember?: (server: ServerBehind) => Change;
  /** Only responses whose body is like this are edited. */
  readonly only?: RegExp;
  /** Refuses the request with this status, in the documented form. */
  readonly refuse?: number;
  readonly status?: number;
  /** Sets, removes or changes headers; a function changes one that there is. */
  readonly headers?: Readonly<Record<string, HeaderEdit>>;
  /** Sets, removes or changes fields of a JSON body; a function gets the value as text. */
  readonly set?: Readonly<Record<string, unknown>>;
  readonly file?: (file: Body, index: number, body: Body) => object;
  readonly json?: (body: Body, request: ProxiedRequest, server: ServerBehind) => unknown;
  readonly text?: (body: string) => string;
  /** Sends this text, each letter as a byte. */
  readonly bytes?: (body: string) => string;
  readonly send?: Send;
}

type Rewrite = (request: ProxiedRequest, server: ServerBehind) => ProxiedRequest;
export type HeaderEdit = string | string[] | ((value: string) => string | string[]) | undefined;
type Edit = Change | Behaviour | Edits;

/** A mutant: what the server does wrong, where, and how. */
export const row = (...of: readonly [breaks: string, where: Where, edit: Edit]) => of;

/**
 * Mutants that break one promise, each named after what it breaks.
 * @param promise the checks, one of which must find each of them first
 */
export function breaking(promise: string, rows: readonly ReturnType<typeof row>[]): Mutant[] {
  return rows.map(([breaks, where, edit]) => {
    const [shows, { start }] = [showsAt(where), behaviourOf(edit)];
    return {
      name:
        breaks
          .toLowerCase()
          .match(/[a-z\d]+/g)
          ?.join('-') ?? '',
      promise,
      shows,
      start: (server) =>
        start(
          server,
          (request, response) => request.isMet !== false && shows(request, response?.status, server.credentials),
        ),
    };
  });
}

function behaviourOf(edit: Edit): Behaviour {
  if (typeof edit === 'function') return changing(() => edit);
  if ('start' in edit) return edit;
  const { instead, save, store, remember = store && storing(store) } = edit;
  if (save) return saving(save);
  if (!instead) return changing(remember ?? (() => changeOf(edit)));
  return {
    start: (server, matches) => async (request) => {
      if (!matches(request)) return server.forward(request);
      const other = instead(request, server);
      const response = await server.forward(other);
      if (secretOf(other) === secretOf(request)) return response;
      const headers = request.headers.filter(([name]) => !/^(content-|transfer-|expect)/i.test(name));
      return withLimitOf(await server.forward({ ...request, method: 'GET', headers, body: Buffer.alloc(0) }), response);
    },
  };
}

/** The response to another request, with the limit of the credential that was sent: a fault of rights is none of limits. */
function withLimitOf({ headers }: ProxiedResponse, response: ProxiedResponse): ProxiedResponse {
  const { ratelimit, 'ratelimit-policy': policy } = headers;
  if (!String(ratelimit).startsWith('"credential"')) return response;
  return { ...response, headers: { ...response.headers, ratelimit, 'ratelimit-policy': policy } };
}

/** Whether a place matches a request and the status of its response, if there is one already. */
function showsAt(where: Where): Mutant['shows'] {
  const [place, ...predicates] = typeof where === 'string' ? [where] : where;
  const [operations = '', ...others] = place.split(' ');
  const wanted = operations.replace('setting', 'read|update').split('|');
  const pattern = new RegExp(`^(${others.find((word) => /^\d/.test(word)) ?? '.*'})$`);
  const callers = others.includes('by') ? others.at(-1)?.split('|') : undefined;
  return (request, status, credentials) =>
    (status === undefined || pattern.test(String(status))) &&
    (operations === '*' || wanted.includes(operationOf(request))) &&
    (!others.includes('HEAD') || request.method === 'HEAD') &&
    (!callers || callers.some((name) => credentials[name as CredentialName] === secretOf(request))) &&
    predicates.every((predicate) => predicate(request, credentials));
}

function changing(remember: (server: ServerBehind) => Change): Behaviour {
  return {
    start: (server, matches) => {
      const change = remember(server);
      return async (request) => {
        const isHead = request.method === 'HEAD';
        const asked = isHead ? { ...request, method: 'GET' } : request;
        const response = await server.forward(asked);
        // HEAD must have the headers of the changed response, including its length.
        if (isHead) delete response.headers['content-length'];
        const forward: typeof server.forward = async (other) => withLimitOf(response, await server.forward(other));
        const isMeant = matches(request, response);
        const changed = (isMeant ? await change(response, asked, { ...server, forward }) : undefined) ?? response;
        const { headers, body } = changed;
        const length = { 'content-length': String(Buffer.byteLength(body)) };
        return isHead ? { ...changed, headers: { ...length, ...headers }, body: '' } : changed;
      };
    },
  };
}

/** Returns the first body in each response. */
export const firstBody: Edits = {
  remember: () => {
    let first: string | undefined;
    return (response) => ({ ...response, body: (first ??= response.body) });
  },
};

export const sets = (name: string, value: HeaderEdit): Edits => ({ headers: { [name]: value } });

/** The change that edits stand for. */
export function changeOf(edits: Edits): Change {
  const { again, only, refuse, status, headers = {}, text, bytes } = edits;
  const json = jsonEdit(edits);
  return async (original, request, server) => {
    if (again) return server.forward(again(request, server));
    if (only && !only.test(original.body)) return original;
    const response = refuse === undefined ? original : refused(original, refuse);
    if (status !== undefined) response.status = status;
    for (const [name, edit] of Object.entries(headers)) {
      const value = response.headers[name];
      if (typeof edit !== 'function') response.headers[name] = edit;
      else if (typeof value === 'string') response.headers[name] = edit(value);
    }
    const isText = response.body !== '' && !/^image\//.test(String(response.headers['content-type']));
    if (json && isText) response.body = JSON.stringify(json(JSON.parse(response.body) as Body, request, server));
    if (text && isText) response.body = text(response.body);
    if (bytes)
      response.send = (outgoing, { body }) => {
        send(outgoing, response, Buffer.from(bytes(body), 'latin1'));
      };
    if (edits.send) response.send = edits.send;
    return response;
  };
}

function jsonEdit({ json, set, file }: Edits): Edits['json'] {
  if (set)
    return (body) => {
      const edited = Object.entries(set).map(([name, edit]) => [
        name,
        typeof edit === 'function' ? (edit as (value: string, body: Body) => unknown)(String(body[name]), body) : edit,
      ]);
      return { ...body, ...(Object.fromEntries(edited) as Body) };
    };
  if (file)
    return (body) => ({ ...body, files: body.files?.map((each, at) => ({ ...each, ...file(each, at, body) })) });
  return json;
}

/** Sends a response with this body; without one, its head alone. */
export function send(outgoing: ServerResponse, response: ProxiedResponse, body?: string | Buffer): void {
  for (const [name, value] of linesOf(response)) outgoing.setHeader(name, value);
  outgoing.statusCode = response.status;
  if (body === undefined) outgoing.flushHeaders();
  else outgoing.end(body);
}

/** The headers of a response as lines, without those of the connection. */
export function linesOf({ headers }: ProxiedResponse): [name: string, value: string | string[]][] {
  const ofConnection = /^(connection|keep-alive|transfer-encoding|content-length)$/i;
  return Object.entries(headers).flatMap(([name, value]): [string, string | string[]][] =>
    value === undefined || ofConnection.test(name) ? [] : [[name, value]],
  );
}

/** The body of any response. */
export interface Body {
  readonly [field: string]: unknown;
  readonly files?: readonly Body[];
  readonly error_details?: { readonly errors?: readonly Body[] };
}

const details = { field: '', errors: [{ field: '', message: 'is not valid', rule: 'type' }] };

/** A refusal in the documented form. */
export function refused({ headers }: ProxiedResponse, status: number): ProxiedResponse {
  const [code] =
    Object.entries(ownDocument.errors).find(([, error]) => error.status === status && status !== 400) ?? [];
  const invalid = { error_code: 'request.validation.failed', error_details: details };
  const later = [429, 503].includes(status) && { 'retry-after': '1' };
  return {
    status,
    headers: { ...headers, ...later, ...(status === 429 && { ratelimit: '"credential";r=0;t=1' }) },
    body: JSON.stringify({ error_message: 'The request was refused.', ...(code ? { error_code: code } : invalid) }),
  };
}

/** An earlier response, as the response to this request. */
export function sentNow(earlier: ProxiedResponse, { headers: now }: ProxiedResponse): ProxiedResponse {
  return { ...earlier, headers: { ...earlier.headers, 'x-request-id': now['x-request-id'] } };
}
