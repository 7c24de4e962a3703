import { createJSONRPCErrorResponse, JSONRPCErrorCode, JSONRPCErrorException } from 'json-rpc-2.0';
import type { AuditEntry, Operator } from '../run/model.ts';
import { connectOperator } from './connection.ts';
import { NotOfferedError, OperatorError } from './operator-error.ts';
import { checkResult, type OperatorMethod } from './protocol.ts';

/** The code of errors that the suite itself creates. */
const timedOut = -32_099;

/** An operator that has prepared the run. */
export interface OpenedOperator {
  readonly operator: Operator;
  /** Entries for the credentials file. */
  readonly credentials: Readonly<Record<string, unknown>>;
  readonly requestQuota: number | undefined;
  /** Lets the operator remove what it has set up. @throws {OperatorError} if it fails */
  readonly close: () => Promise<void>;
}

/**
 * Connects to an operator by its URL or its command, and lets it prepare the run.
 * @throws {OperatorError} if it fails
 */
export async function openOperator(address: string, timeoutSeconds = 30): Promise<OpenedOperator> {
  const connection = connectOperator(address);
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
      checkResult(method, result);
      return result as Result;
    } catch (error) {
      if (hasCode(error, JSONRPCErrorCode.MethodNotFound)) throw new NotOfferedError(method);
      const { message } = error as Error;
      const described = new OperatorError(message.startsWith(method) ? message : `${method}: ${message}`);
      if (hasCode(error, timedOut)) failure = described;
      throw described;
    }
  };

  const setup = await request<{ methods: string[]; credentials?: Record<string, unknown>; request_quota?: number }>(
    'setup',
  ).catch(async (error: unknown) => {
    await connection.close();
    throw error;
  });
  methods = setup.methods;
  return {
    operator: operatorOf(request, (method) => methods.includes(method)),
    credentials: setup.credentials ?? {},
    requestQuota: setup.request_quota,
    close: async () => {
      try {
        if (!failure && methods.includes('teardown')) await request('teardown');
      } finally {
        await connection.close();
      }
    },
  };
}

type Request = <Result>(method: OperatorMethod, params?: object) => Promise<Result>;

function operatorOf(request: Request, offers: (method: OperatorMethod) => boolean): Operator {
  // Does not break the store unless the operator can heal it.
  const failStore = async (method: 'breakStore' | 'disconnectStore'): Promise<() => Promise<void>> => {
    if (!offers('healStore')) throw new NotOfferedError('healStore');
    await request(method);
    return () => request('healStore');
  };
  return {
    listAuditEntries: () => request<AuditEntry[]>('listAuditEntries'),
    saveCachedResults: async (whose = 'of owner_key') => {
      const of = { organisation: whose === 'another' ? 'other' : 'own' };
      const before = await request<number>('countCachedResults', of);
      await request('saveCachedResult', of);
      const after = await request<number>('countCachedResults', of);
      if (after !== before + 1)
        throw new OperatorError(`saveCachedResult did not add a result: there were ${before}, and are ${after}`);
      return after;
    },
    identify: (secret) => request('identify', { secret }),
    readCase: (caseId) => request('readCase', { case_id: caseId }),
    createCase: () => request('createCase'),
    lockCase: (caseId) => request('lockCase', { case_id: caseId }),
    breakStore: () => failStore('breakStore'),
    disconnectStore: () => failStore('disconnectStore'),
  };
}

function hasCode(error: unknown, code: number): boolean {
  return error instanceof JSONRPCErrorException && error.code === code;
}
