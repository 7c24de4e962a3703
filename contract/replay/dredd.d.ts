/** The part of Dredd 14 that is used here; the package has no types. */
declare module 'dredd' {
  /** The data of the emitter's events; `title` is the transaction's `id`. */
  export interface Test {
    title: string;
    message: string;
  }

  export default class Dredd {
    constructor(configuration: Readonly<Record<string, unknown>>);
    run(callback: (error?: Error | null) => void): void;
  }
}

/** Dredd replaces a hook file's import with this module. */
declare module 'hooks' {
  export interface Transaction {
    id: string;
    request: { method: string; headers: Record<string, string> };
    expected: { statusCode: string; headers: Record<string, string>; body?: string; bodySchema?: object };
    /** `resourceName` is the path as the document spells it. */
    origin: { resourceName: string };
    /** Prevents the transaction from being sent. */
    skip?: boolean;
    /** A message fails the transaction. */
    fail?: string;
  }

  export interface Hooks {
    beforeAll(hook: (transactions: Transaction[], done: () => void) => void): void;
    beforeEach(hook: (transaction: Transaction, done: () => void) => void): void;
  }

  const hooks: Hooks & { configuration: { custom: { register: (hooks: Hooks) => void } } };
  export default hooks;
}

/** Sends Dredd's requests. Dredd looks the function up for each call. */
declare module 'dredd/build/performRequest.js' {
  export interface RealResponse {
    statusCode: number;
    headers: Record<string, string | undefined>;
    body?: string;
    bodyEncoding?: 'utf-8';
  }

  const exports: {
    default: (
      url: string,
      request: { method: string; headers: Record<string, string> },
      options: unknown,
      callback: (error: Error | null, response: RealResponse) => void,
    ) => void;
  };
  export default exports;
}

/** The destination of Dredd's log. */
declare module 'dredd/build/logger.js' {
  type Done = (error: Error | null, logged: boolean) => void;
  type Log = (level: string, message: string, meta: unknown, done: Done) => void;

  const exports: { default: { transports: { console: { log: Log } } } };
  export default exports;
}

/** The destination of the reporter that Dredd cannot run without. */
declare module 'dredd/build/reporters/reporterOutputLogger.js' {
  const exports: { default: { transports: { console: { silent: boolean } } } };
  export default exports;
}
