/** What is used of Dredd 14, which has no types of its own. */
// @ts-nocheck

declare module 'dredd' {
  import type { EventEmitter } from 'node:events';

  export interface Statistics {
    tests: number;
    passes: number;
    failures: number;
    errors: number;
    skipped: number;
  }

  export interface Configuration {
    endpoint: string;
    path: string[];
    hookfiles: string[];
    loglevel: 'silent' | 'error' | 'warning' | 'debug';
    emitter: EventEmitter;
    custom: Record<string, unknown>;
  }

  export interface Answer {
    statusCode: number;
    headers: Record<string, string>;
    body?: string;
  }

  /** What the emitter's events carry; `title` is the transaction's `id`. */
  export interface Test {
    title: string;
    message: string;
    actual?: Answer;
  }

  export type LogTransport = (
    level: string,
    message: string,
    meta: unknown,
    done: (error: Error | null, logged: boolean) => void,
  ) => void;

  export default class Dredd {
    constructor(configuration: Configuration);
    readonly logger: { transports: { console: { log: LogTransport } } };
    run(callback: (error: Error | null | undefined, statistics: Statistics) => void): void;
  }
}

/** Dredd puts this module in the place of a hook file's import. */
declare module 'hooks' {
  import type { Answer } from 'dredd';

  export interface Transaction {
    id: string;
    protocol: string;
    host: string;
    port: string;
    fullPath: string;
    request: { method: string; headers: Record<string, string>; body: string };
    expected: { statusCode: string; headers: Record<string, string>; body?: string; bodySchema?: object };
    /** `resourceName` is the path as the document spells it. */
    origin: { resourceName: string };
    /** A text fails the transaction. */
    fail?: string;
    /** The answer, once there is one. */
    real?: Answer;
  }

  const hooks: {
    configuration: { custom: unknown };
    beforeAll(hook: (transactions: Transaction[], done: () => void) => void): void;
    beforeEach(hook: (transaction: Transaction, done: () => void) => void): void;
    afterEach(hook: (transaction: Transaction, done: () => void) => void): void;
  };
  export default hooks;
}

/** Where the reporter that Dredd cannot be without writes to. */
declare module 'dredd/build/reporters/reporterOutputLogger.js' {
  const exports: { default: { transports: { console: { silent: boolean } } } };
  export default exports;
}
