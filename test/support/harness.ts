import { join } from 'node:path';
import { pino } from 'pino';
import supertest from 'supertest';
import { createApp, type Dependencies } from '../../src/api/app.ts';
import { type ClientLimits, createServer } from '../../src/api/connections/server.ts';
import { memoryRateLimits } from '../../src/rate-limits/rate-limit-store.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import type { Store } from '../../src/store/store.ts';
import { expect } from '@jest/globals';
import type { HttpResponse } from '../../contract/oracle/messages.ts';
import { responseViolations } from '../../contract/oracle/response.ts';
import { matchOperation, type Schema } from '../../contract/document/index.ts';
import { ownDocument } from '../../contract/document/own-document.ts';
import { afterwards } from './afterwards.ts';
import { listenOnFreePort } from './listen-on-free-port.ts';
import { TemporaryFolder } from './temporary-folder.ts';

export const settingPath = '/organisations/features/verification';

export interface CallOptions {
  headers?: Record<string, string>;
  body?: string | object;
}

export interface CallResponse {
  status: number;
  headers: Record<string, string>;
  body: unknown;
  text: string;
}

export type Harness = Awaited<ReturnType<typeof startHarness>>;

/** What a test replaces of the application's dependencies and of its configuration. */
export interface HarnessOptions
  extends Partial<Omit<Dependencies, 'config' | 'store'>>, Partial<Omit<Dependencies['config'], 'rateLimits'>> {
  rateLimits?: Partial<Dependencies['config']['rateLimits']>;
  clientLimits?: Partial<ClientLimits>;
  /** The store, in place of an embedded one; the harness closes it. */
  openStore?: () => Promise<Store>;
  /** What the application gets in place of the store. */
  wrapStore?: (store: Store) => Dependencies['store'];
}

const limits = {
  requests: 600,
  failedAuthentications: 600,
  publicRequests: 600,
  otherRequests: 600,
  windowSeconds: 60,
};

/** A real server in this process on a real store in a folder of its own. */
export async function startHarness(options: HarnessOptions = {}) {
  const { region = 'uk', maxConcurrentRequests = 1000, trustedProxies = [], allowedOrigins = [], ...others } = options;
  const { identityProvider, rateLimits, clientLimits, openStore, wrapStore, ...dependencies } = others;
  const folder = await TemporaryFolder.make();
  const databasePath = join(folder.path, 'store.sqlite');
  const store = (await openStore?.()) ?? openSqliteStore(databasePath);
  const log: string[] = [];
  const config = { region, maxConcurrentRequests, trustedProxies, allowedOrigins, identityProvider };
  const app = await createApp({
    config: { ...config, rateLimits: { ...limits, ...rateLimits } },
    store: wrapStore?.(store) ?? store,
    rateLimitStore: memoryRateLimits,
    logger: pino({ base: null, level: 'debug' }, { write: (line: string) => log.push(line) }),
    now: () => new Date(),
    ...dependencies,
  });
  const server = createServer(app, clientLimits);
  const { close } = await listenOnFreePort(server);
  return {
    store,
    databasePath,
    /** Lines that the server logged. */
    log,
    server,
    /** Calls the server and checks the response, whatever it is, against the document. */
    call: async (method: string, path: string, { headers = {}, body }: CallOptions = {}): Promise<CallResponse> => {
      const received = await supertest(server)[method.toLowerCase() as 'get'](path).set(headers).send(body);
      const response: CallResponse = {
        status: received.status,
        headers: received.headers,
        body: received.body as unknown,
        text: method === 'HEAD' ? '' : received.text,
      };
      expectConformance(method, path, response);
      return response;
    },
    close: afterwards(async () => {
      await close();
      await store.close();
    }),
  };
}

/** Fails unless the response to this request is one that the document describes, with its fields in that order. */
export function expectConformance(method: string, path: string, response: HttpResponse): void {
  expect(responseViolations(method, path, response)).toEqual([]);
  const responses = matchOperation(ownDocument, method, path)?.responses ?? ownDocument.serviceResponses;
  const schema = responses[String(response.status)]?.content['application/json']?.schema;
  if (schema && response.text !== '') expect(misplacedFields(schema, JSON.parse(response.text))).toEqual([]);
}

/** The fields of a value that do not stand in the order in which its schema lists them. */
export function misplacedFields(schema: Schema, value: unknown, place = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => misplacedFields(schema.items ?? {}, item, place));
  if (typeof value !== 'object' || value === null) return [];
  const parts = [schema, ...((schema['allOf'] ?? []) as Schema[])];
  const properties = Object.assign({}, ...parts.map((part) => part.properties)) as Record<string, Schema>;
  const names = Object.keys(value).filter((name) => Object.hasOwn(properties, name));
  const inOrder = Object.keys(properties).filter((name) => names.includes(name));
  return [
    ...names.filter((name, index) => inOrder[index] !== name).map((name) => `${place}/${name}`),
    ...Object.entries(value).flatMap(([name, item]) =>
      misplacedFields(properties[name] ?? {}, item, `${place}/${name}`),
    ),
  ];
}
