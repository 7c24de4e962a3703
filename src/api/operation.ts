/**
 * The shape of an operation's handler, derived from the document's generated types: a missing, superfluous or wrongly
 * shaped handler does not compile.
 */
import type { OperationId } from '../../generated/operations.ts';
import type { operations } from '../../generated/types.ts';
import type { Principal } from '../domain/principal.ts';
import type { Refusal } from './errors.ts';
import type { JsonText } from '../store/json-text.ts';
import type { OperationStore } from '../store/store.ts';

type SuccessStatus = 200 | 201 | 202 | 204;

type PathParameters<Id extends OperationId> = operations[Id]['parameters'] extends { path: infer Path }
  ? Path
  : unknown;

type RequestBody<Id extends OperationId> = operations[Id] extends {
  requestBody: { content: { 'application/json': infer Body } };
}
  ? Body
  : undefined;

type Responses<Id extends OperationId> = operations[Id]['responses'];

/** What the operation `Id` is given: validated input, and who asks. */
export interface OperationRequest<Id extends OperationId> {
  readonly principal: Principal;
  readonly pathParameters: PathParameters<Id>;
  readonly body: RequestBody<Id>;
  readonly requestId: string;
  readonly now: Date;
}

/** A documented success of the operation `Id`: its status with the body that belongs to it, or with that body's text. */
export type OperationAnswer<Id extends OperationId> = {
  [Status in keyof Responses<Id> & SuccessStatus]: Responses<Id>[Status] extends {
    content: { 'application/json': infer Body };
  }
    ? { readonly status: Status; readonly body: Body | JsonText<Body> }
    : never;
}[keyof Responses<Id> & SuccessStatus];

/** An operation: it knows the store, but nothing of HTTP. */
export type OperationHandler<Id extends OperationId> = (
  request: OperationRequest<Id>,
  store: OperationStore,
) => Promise<OperationAnswer<Id> | Refusal>;

/** A handler as it is seen where only the running request tells which operation it is. */
export type AnyOperationHandler = (
  request: OperationRequest<OperationId>,
  store: OperationStore,
) => Promise<{ readonly status: number; readonly body: object } | Refusal>;

/** One handler for each operation of the document. */
export type OperationHandlers = { readonly [Id in OperationId]: OperationHandler<Id> };
