import type { ServerResponse } from 'node:http';
import type { Credentials, Operator, Target } from '../run/model.ts';

/** A request on its way to the server. Headers are a list, because some requests send one twice. */
export interface ProxiedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
  /** Absent in a malformed request. */
  readonly httpVersion?: string;
  /** Identifies the connection that it came over. */
  readonly connection?: object;
  /** The secrets that were sent, by those that a mutant knows in their place. */
  readonly sent?: ReadonlyMap<string, string>;
  /** Bytes that are not HTTP, instead of everything else. */
  readonly malformed?: Buffer;
  /** Whether the condition of a conditional mutant holds, which sees all requests and shows its fault on these. */
  readonly isMet?: boolean;
}

/** A response on its way back; header names are in lower case. */
export interface ProxiedResponse {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: string;
  /** Sends the response in the proxy's place. */
  send?: Send;
}

/** Writes a response, which is the one that the proxy would send. */
export type Send = (outgoing: ServerResponse, response: ProxiedResponse, request: ProxiedRequest) => void;

export type Handler = (request: ProxiedRequest) => Promise<ProxiedResponse>;

/** The conforming server behind a mutant. */
export interface ServerBehind {
  readonly credentials: Required<Credentials>;
  /** The organisation of `owner_key`. */
  readonly organisationId: string;
  /** Its store, in which entries of the audit log can be changed. */
  readonly database: Database;
  readonly forward: Handler;
}

/** Whether something is true of a request. */
export type Predicate = (request: ProxiedRequest, credentials: Required<Credentials>) => boolean;

/** What a mutant does with each request. */
export interface Behaviour {
  /** @param matches whether the fault shows on a request, and on its response if there is one already */
  readonly start: (
    server: ServerBehind,
    matches: (request: ProxiedRequest, response?: ProxiedResponse) => boolean,
  ) => Handler;
}

/** A server that breaks the contract, or conforms to it in another way than the project's own. */
export interface Mutant {
  /** Unique, and says what the server does wrong, or differently: `a-revoked-key-is-accepted`. */
  readonly name: string;
  /** How often the fault was met, where that is counted. */
  readonly shown?: () => number;
  /** Intercepts the requests to a server that has just started. */
  start(server: ServerBehind): Handler;
  /** The checks of the promise that is broken, one of which must find it first: patterns of ids, separated by spaces. */
  readonly promise: string;
  /** Whether the fault may show on a request whose response has this status; on the request alone if there is none yet. */
  readonly shows: (request: ProxiedRequest, status: number | undefined, credentials: Required<Credentials>) => boolean;
}

/** A conforming server to break, with the store behind it. */
export interface MutableTarget extends Target {
  readonly operator: Operator;
  readonly openDatabase: () => Database & { close(): unknown };
}

export type StartTarget = () => Promise<MutableTarget>;

/** The part of better-sqlite3's interface that effects use. */
export interface Database {
  exec(source: string): unknown;
  prepare<Parameters extends unknown[], Row = unknown>(source: string): Statement<Parameters, Row>;
}

interface Statement<Parameters extends unknown[], Row> {
  get(...parameters: Parameters): Row | undefined;
  run(...parameters: unknown[]): unknown;
}
