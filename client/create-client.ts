import { endpoints, type OperationId, type Operations } from './generated/client.ts';
import { callOperation } from './call.ts';
import type { CallOptions } from './request.ts';
import { type ClientOptions, settingsOf } from './settings.ts';

/** A method for each operation. It throws a `DocumentAnalysisError`, or an error of the caller's own. */
export type Client = Operations<CallOptions>;

/**
 * Creates a client. It opens nothing and needs no closing.
 * @throws {TypeError} if an option is invalid; the message names it
 * @example
 * ```ts
 * import { createClient } from 'document-analysis-client';
 *
 * const client = createClient({ region: 'uk', apiKey: () => readFile('api-key', 'utf8') });
 * const { enabled } = await client.updateVerificationSetting({ enabled: true });
 * ```
 */
export function createClient(options: ClientOptions): Client {
  const settings = settingsOf(options);
  const methods = (Object.keys(endpoints) as OperationId[]).map((operationId) => [
    operationId,
    (...inputs: unknown[]) => callOperation(operationId, inputs, settings),
  ]);
  return Object.fromEntries(methods) as Client;
}
