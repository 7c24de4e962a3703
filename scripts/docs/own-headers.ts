import { isDeepStrictEqual } from 'node:util';
import type { RawDocument, RawOperation, RawResponse } from '../../contract/document/raw.ts';

type Reference = { $ref?: string };

/**
 * Keeps only those headers of each error response that the operation's success does not have, and adds a note to its
 * description. Redoc shows every header of every response in full, which would hide the few that differ.
 */
export function showOwnHeaders(document: RawDocument, operation: RawOperation): void {
  const responses = Object.entries(operation.responses ?? {}).map(
    ([status, response]) => [status, resolve(document, response)] as const,
  );
  const [success, { headers: common = {} } = {}] = responses.find(([status]) => status.startsWith('2')) ?? [];
  if (success === undefined) return;
  operation.responses = Object.fromEntries(
    responses.map(([status, response]) => [status, status === success ? response : without(common, response, success)]),
  );
}

function without(common: NonNullable<RawResponse['headers']>, response: RawResponse, success: string): RawResponse {
  const all = Object.entries(response.headers ?? {});
  const own = all.filter(([name, header]) => !isDeepStrictEqual(header, common[name]));
  if (own.length === all.length) return response;
  const description = `${response.description ?? ''} This response has the headers of ${success}${own.length > 0 ? ', and these:' : '.'}`;
  return { ...response, description, headers: Object.fromEntries(own) };
}

function resolve(document: RawDocument, response: RawResponse & Reference): RawResponse {
  const name = response.$ref?.replace('#/components/responses/', '');
  return name === undefined ? response : (document.components?.responses?.[name] ?? response);
}
