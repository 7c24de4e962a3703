import type { Request } from 'express';
import type { Operation, OperationId } from '../../generated/operations.ts';
import type { Principal } from '../domain/principal.ts';
import type { TraceContext } from './steps/trace-context.ts';

/** The operation that a request matched, as the document declares it. */
export type MatchedOperation = Operation & { readonly operationId: OperationId };

declare global {
  // oxlint-disable-next-line @typescript-eslint/no-namespace -- the only way to extend Express's request
  namespace Express {
    /** What the steps of a request's way have found out, each step one thing. */
    interface Request {
      id: string;
      operation?: MatchedOperation;
      pathParameters?: Readonly<Record<string, string>>;
      principal?: Principal | undefined;
      /** The trace that the request belongs to, if it belongs to one. */
      trace?: TraceContext | undefined;
      /** True if the request was refused because too many others were in work. */
      overloaded?: true;
    }
  }
}

/** The operation found for this request. @throws {Error} if there is none: a step stands in the wrong place */
export function operationOf({ operation }: Request): MatchedOperation {
  if (!operation) throw new Error('No operation was found for this request.');
  return operation;
}

/** The caller of this request. @throws {Error} if nobody was authenticated: a step stands in the wrong place */
export function principalOf({ principal }: Request): Principal {
  if (!principal) throw new Error('Nobody was authenticated for this request.');
  return principal;
}
