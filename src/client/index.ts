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
} from '../../generated/client.js';
export type { CallOptions } from './call.js';
export { type Client, createClient } from './create-client.js';
export type { Credential } from './credential.js';
export {
  ApiError,
  ConnectionError,
  DocumentAnalysisError,
  type ErrorCode,
  isApiError,
  type OperationError,
  TimeoutError,
  UnexpectedAnswerError,
} from './errors.js';
export type { ClientOptions } from './settings.js';
