import type { JSONRPCResponse } from 'json-rpc-2.0';
import { createJSONRPCErrorResponse, JSONRPCClient, JSONRPCErrorCode, JSONRPCErrorException } from 'json-rpc-2.0';
import { createInterface } from 'node:readline';
import { ShellCommand } from '../target/shell-command.ts';
import { Ajv } from 'ajv';

const timedOut = -32_099;

/** An operator that has prepared the run. */
export type OpenedOperator = Awaited<ReturnType<typeof openOperator>>;

/**
 * Connects to an operator by its URL or its command, and lets it prepare the run.
 * @throws {OperatorError} if it fails
 */
export async function openOperator(address: string, timeoutSeconds = 30) {
  const connection = /^https?:\/\//i.test(address) ? connectUrl(address) : connectCommand(address);
  const requester = connection.client.timeout(timeoutSeconds * 1000, (id) =>
    createJSONRPCErrorResponse(id, timedOut, `no response within ${timeoutSeconds} s`),
  );
  let failure: OperatorError | undefined;
  let methods: readonly string[] = ['setup'];

  const request = async <Result>(method: OperatorMethod, params: object = {}): Promise<Result> => {
    if (!methods.includes(method)) throw new NotOfferedError(method);
    // After a timeout, no further requests are sent: each might take just as long.
    if (failure) throw failure;
    try {
      const result: unknown = await requester.request(method, params);
      if (!ajv.validate(results[method], result))
        throw new OperatorError(`${method} responded with ${ajv.errorsText(ajv.errors, { dataVar: 'a result that' })}`);
      return result as Result;
    } catch (error) {
      if (hasCode(error, JSONRPCErrorCode.MethodNotFound)) throw new NotOfferedError(method);
      const { message } = error as Error;
      const described = new OperatorError(message.startsWith(method) ? message : `${method}: ${message}`);
      if (hasCode(error, timedOut)) failure = described;
      throw described;
    }
  };

  const setup = await request<{ methods: string[]; credentials?: Record<string, unknown> }>('setup').catch(
    async (error: unknown) => {
      await connection.close();
      throw error;
    },
  );
  methods = setup.methods;
  return {
    operator: operatorOf(request, (method) => methods.includes(method)),
    /** Entries for the credentials file. */
    credentials: setup.credentials ?? {},
    /** Lets the operator remove what it has set up. @throws {OperatorError} if it fails */
    close: async (): Promise<void> => {
      try {
        if (!failure && methods.includes('teardown')) await request('teardown');
      } finally {
        await connection.close();
      }
    },
  };
}

type Request = <Result>(method: OperatorMethod, params?: object) => Promise<Result>;

/** An entry of the target's audit log, as `document-analysis audit list --json` prints it. */
export interface AuditEntry {
  id: string;
  occurred_at: string;
  organisation_id: string;
  credential_id: string;
  action: string;
  before: { enabled: boolean };
  after: { enabled: boolean };
  request_id: string;
  cleared: number;
}

/** The organisation of cached analysis results. */
export type CachedFor = 'of owner_key' | 'another';

/** What only the operator of a target can do. */
export type Operator = ReturnType<typeof operatorOf>;

function operatorOf(request: Request, offers: (method: OperatorMethod) => boolean) {
  // Does not break the store unless the operator can heal it.
  const failStore = async (method: 'breakStore' | 'disconnectStore'): Promise<() => Promise<void>> => {
    if (!offers('healStore')) throw new NotOfferedError('healStore');
    await request(method);
    return () => request('healStore');
  };
  const organisationOf = (whose: CachedFor) => ({ organisation: whose === 'another' ? 'other' : 'own' });
  const count = (whose: CachedFor) => request<number>('countCachedResults', organisationOf(whose));
  return {
    listAuditEntries: (limit?: number) =>
      request<AuditEntry[]>('listAuditEntries', limit === undefined ? {} : { limit }),
    countCachedResults: count,
    /** Gives an organisation a cached analysis result to clear, and returns how many it has now. */
    saveCachedResults: async (whose: CachedFor): Promise<number> => {
      const before = await count(whose);
      await request('saveCachedResult', organisationOf(whose));
      const after = await count(whose);
      if (after !== before + 1)
        throw new OperatorError(`saveCachedResult did not add a result: there were ${before}, and are ${after}`);
      return after;
    },
    /** The organisation and credential that a secret belongs to. */
    identify: (secret: string) => request<{ organisation_id: string; credential_id: string }>('identify', { secret }),
    /** A case as it must be returned. */
    readCase: (caseId: string) => request<object>('readCase', { case_id: caseId }),
    /** Makes a case of the organisation of `access_token`, not locked, with one file that is still to be uploaded. */
    createCase: () => request<{ case_id: string; file_id: string }>('createCase'),
    /** Stores a case of that organisation as it is given, with its files. */
    importCase: (given: object): Promise<void> => request('importCase', { case: given }),
    lockCase: (caseId: string): Promise<void> => request('lockCase', { case_id: caseId }),
    revokeCredential: (secret: string): Promise<void> => request('revokeCredential', { secret }),
    /** Gives a feature to the organisation of a credential, or takes it from it. */
    setFeature: (secret: string, feature: string, isGiven: boolean): Promise<void> =>
      request('setFeature', { secret, feature, is_given: isGiven }),
    /** Gives a permission to the role of a credential, or takes it from it. */
    setPermission: (secret: string, permission: string, isGiven: boolean): Promise<void> =>
      request('setPermission', { secret, permission, is_given: isGiven }),
    /** Makes every request of the API fail with 500 until the returned function is called. */
    breakStore: () => failStore('breakStore'),
    /** Cuts the server off from its data, so that it responds with 503, until the returned function is called. */
    disconnectStore: () => failStore('disconnectStore'),
  };
}

function hasCode(error: unknown, code: number): boolean {
  return error instanceof JSONRPCErrorException && error.code === code;
}

const closeSeconds = 5;
const shownOfOutput = 500;

/** Sends each request as the body of a POST; the body of the response is the operator's response. */
function connectUrl(url: string) {
  const client = new JSONRPCClient(async (request) => {
    const headers = { 'Content-Type': 'application/json' };
    const options = { method: 'POST', headers, body: JSON.stringify(request), redirect: 'error' } as const;
    const response = await fetch(url, options).catch((error: unknown) => {
      const { cause, message } = error as Error;
      throw new Error(`${url} cannot be reached: ${cause instanceof Error ? cause.message || message : message}`);
    });
    if (!response.ok) throw new Error(`${url} responded with status ${response.status}`);
    client.receive((await response.json()) as JSONRPCResponse);
  });
  return { client, close: () => Promise.resolve() };
}

/** The command reads one request per line from stdin, and writes one response per line to stdout. */
function connectCommand(command: string) {
  const shell = new ShellCommand(command);
  const { stdin, stdout, stderr } = shell.child;
  let printed = '';
  const client = new JSONRPCClient((request) => {
    if (shell.hasEnded) throw new Error(ended());
    // These end a line, too, where a reader of lines goes by Unicode, as that of Node.js does.
    const line = JSON.stringify(request).replace(/[\u2028\u2029]/g, (end) => `\\u${end.charCodeAt(0).toString(16)}`);
    stdin.write(`${line}\n`);
  });
  const ended = () => {
    const { exitCode, signalCode } = shell.child;
    return `its process has ended with ${signalCode ?? `exit code ${exitCode}`}${printed === '' ? '' : `: ${printed.trim()}`}`;
  };
  stderr.on('data', (chunk: Buffer) => (printed = (printed + chunk.toString()).slice(-shownOfOutput)));
  shell.child.once('close', () => {
    client.rejectAllPendingRequests(ended());
  });
  createInterface(stdout).on('line', (line) => {
    try {
      client.receive(JSON.parse(line) as JSONRPCResponse);
    } catch {
      client.rejectAllPendingRequests(`it wrote a line that is not JSON: ${line.slice(0, shownOfOutput)}`);
    }
  });
  return { client, close: () => shell.end(undefined, closeSeconds) };
}

const text = { type: 'string', minLength: 1 };
const wholeNumber = { type: 'integer', minimum: 0 };
const nothing = {};
const setting = { type: 'object', required: ['enabled'], properties: { enabled: { type: 'boolean' } } };

function object(properties: Record<string, object>, optional: Record<string, object> = {}): object {
  return { type: 'object', required: Object.keys(properties), properties: { ...properties, ...optional } };
}

const results = {
  setup: object({ methods: { type: 'array', items: text } }, { credentials: { type: 'object' } }),
  teardown: nothing,
  listAuditEntries: {
    type: 'array',
    items: object({
      ...{ id: text, occurred_at: text, organisation_id: text, credential_id: text, action: text, request_id: text },
      ...{ before: setting, after: setting, cleared: wholeNumber },
    }),
  },
  saveCachedResult: nothing,
  countCachedResults: wholeNumber,
  identify: object({ organisation_id: text, credential_id: text }),
  readCase: { type: 'object' },
  createCase: object({ case_id: text, file_id: text }),
  importCase: nothing,
  lockCase: nothing,
  revokeCredential: nothing,
  setFeature: nothing,
  setPermission: nothing,
  breakStore: nothing,
  disconnectStore: nothing,
  healStore: nothing,
} satisfies Record<string, object>;

type OperatorMethod = keyof typeof results;

/** The methods of the protocol. */
export const operatorMethods = Object.keys(results) as OperatorMethod[];

const ajv = new Ajv({ allErrors: true });

/** The operator failed, not the server: it crashed, timed out, or broke the protocol. */
export class OperatorError extends Error {}

/** The operator does not offer a method that a check needs, so the check cannot be run. */
export class NotOfferedError extends Error {
  constructor(method: string) {
    super(`missing: operator (${method})`);
  }
}
