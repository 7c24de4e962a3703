/**
 * The client of the Document Analysis API, for Node.js and browsers. Its methods, types and addresses are generated
 * from the document.
 * @module
 */
export type { Call, OperationId, Region } from './generated/client.ts';
export type * from './generated/schemas.ts';
export type { CallOptions } from './request.ts';
export { type Client, createClient } from './create-client.ts';
export type { Credential } from './credential.ts';
export {
  ApiError,
  ConnectionError,
  DocumentAnalysisError,
  type ErrorCode,
  isApiError,
  type OperationError,
  TimeoutError,
  UnexpectedResponseError,
} from './errors.ts';
export type { ClientOptions } from './settings.ts';
