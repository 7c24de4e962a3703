/**
 * The client of the Document Analysis API, for Node.js and browsers. Its methods, types and addresses follow from the
 * document.
 * @module
 */
export type {
  Case,
  FileSummary,
  OperationId,
  Region,
  VerificationSetting,
  VerificationSettingUpdate,
} from '../generated/client.ts';
export type { CallOptions } from './call.ts';
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
  UnexpectedAnswerError,
} from './errors.ts';
export type { ClientOptions } from './settings.ts';
