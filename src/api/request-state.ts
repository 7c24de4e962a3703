import type { Request } from 'express';
import type { Principal } from '../domain/principal.ts';
import type { MatchedOperation } from './api-description.ts';
import type { Headers } from './send-response.ts';
import type { TraceContext } from './steps/correlation.ts';

declare global {
  // oxlint-disable-next-line @typescript-eslint/no-namespace -- the only way to extend Express's request
  namespace Express {
    /** What the steps of a request's way have found out, each step one thing. */
    interface Request {
      id: string;
      operation?: MatchedOperation;
      principal?: Principal | undefined;
      /** The methods of the operations at the request's path, if none of them has the request's method. */
      allowed?: ReadonlySet<string>;
      /** The headers that state which limit counted the request, and what is left of it. */
      rateLimit?: Headers;
      /** The trace that the request belongs to, if it belongs to one. */
      trace?: TraceContext | undefined;
      /** True if the request was refused or cut because too many others were in flight. */
      overloaded?: true;
    }
  }
}

/** The operation found for this request. @throws {Error} if there is none, because steps are in the wrong order */
export function operationOf({ operation }: Request): MatchedOperation {
  if (!operation) throw new Error('No operation was found for this request.');
  return operation;
}

/** Whether anybody may call an operation, with a credential or without one. */
export function isPublic({ security }: Pick<MatchedOperation, 'security'>): boolean {
  return security.length === 0;
}

/** The caller of this request. @throws {Error} if nobody was authenticated, because steps are in the wrong order */
export function principalOf({ principal }: Request): Principal {
  if (!principal) throw new Error('Nobody was authenticated for this request.');
  return principal;
}
