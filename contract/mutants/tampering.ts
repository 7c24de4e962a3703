/** The building blocks of mutants: changes to a response or to a request. */
import { matchOperation } from '../document/index.ts';
import { ownDocument } from '../document/own-document.ts';
import type { Mutant, ProxiedResponse, ProxiedRequest, ServerBehind } from './mutant.ts';

type FieldName =
  | 'enabled'
  | 'case_id'
  | 'label'
  | 'metadata'
  | 'is_locked'
  | 'locked_at'
  | 'file_analysis_status'
  | 'file_analysis_completed_at'
  | 'created_at'
  | 'updated_at'
  | 'total_files'
  | 'file_id'
  | 'uploaded_at'
  | 'thumbnail_url'
  | 'mime_type'
  | 'analysis_status'
  | 'analysis_completed_at'
  | 'error_code'
  | 'error_message'
  | 'error_details';

/** The body of any response. */
export type Body = { [name in FieldName]?: unknown } & { files?: Body[]; error_details?: { errors?: unknown[] } };

/** Changes a body, or returns its replacement. */
export type BodyEdit = (body: Body, request: ProxiedRequest) => unknown;

/** An operationId or `*`, and a regular expression for the status, such as `getCase 200` or `* 4..`. */
export type Where = string;

type Named<Rest extends unknown[]> = readonly [name: string, breaks: string, promise: string, ...rest: Rest];

/** Whether `where` matches the response to a request. */
export function isWhere(where: Where, { method, path }: ProxiedRequest, status: number): boolean {
  const [operation = '', statuses = ''] = where.split(' ');
  if (!new RegExp(`^(${statuses})$`).test(String(status))) return false;
  return (
    operation === '*' || operation.split('|').includes(matchOperation(ownDocument, method, path)?.operationId ?? 'none')
  );
}

/** Mutants that change responses. */
export function responseMutants(
  mutants: readonly Named<[Where, (response: ProxiedResponse, request: ProxiedRequest) => void]>[],
): Mutant[] {
  return mutants.map(([name, breaks, promise, where, edit]) => ({
    name,
    breaks,
    promise,
    start: (server) => async (request) => {
      const response = await server.forward(asGet(request));
      if (isWhere(where, request, response.status)) edit(response, request);
      return request.method === 'HEAD' ? withoutBody(response) : response;
    },
  }));
}

/** HEAD must have the headers of the changed response, including its length. */
function asGet(request: ProxiedRequest): ProxiedRequest {
  return request.method === 'HEAD' ? { ...request, method: 'GET' } : request;
}

function withoutBody({ status, headers, body }: ProxiedResponse): ProxiedResponse {
  return { status, headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) }, body: '' };
}

/** Mutants that change the bodies of responses. */
export function bodyMutants(mutants: readonly Named<[Where, BodyEdit]>[]): Mutant[] {
  return responseMutants(
    mutants.map(([name, breaks, promise, where, edit]) => [
      name,
      breaks,
      promise,
      where,
      (response, request) => {
        if (response.body === '') return;
        const body = JSON.parse(response.body) as Body;
        response.body = JSON.stringify(edit(body, request) ?? body);
      },
    ]),
  );
}

/** Mutants that change the headers of responses; `undefined` removes one. */
export function headerMutants(mutants: readonly Named<[Where, Record<string, string | undefined>]>[]): Mutant[] {
  return responseMutants(
    mutants.map(([name, breaks, promise, where, headers]) => [
      name,
      breaks,
      promise,
      where,
      (response) => {
        Object.assign(response.headers, headers);
      },
    ]),
  );
}

/** Mutants that change requests before the server sees them. */
export function requestMutants(
  mutants: readonly Named<[(request: ProxiedRequest, server: ServerBehind) => ProxiedRequest | undefined]>[],
): Mutant[] {
  return mutants.map(([name, breaks, promise, edit]) => ({
    name,
    breaks,
    promise,
    start: (server) => (request) => server.forward(edit(request, server) ?? request),
  }));
}

/** Mutants with a handler of their own. */
export function handlerMutants(mutants: readonly Named<[Mutant['start']]>[]): Mutant[] {
  return mutants.map(([name, breaks, promise, start]) => ({ name, breaks, promise, start }));
}

/** Sets fields of a body. */
export function set(fields: Body): BodyEdit {
  return (body) => ({ ...body, ...fields });
}

/** Removes fields from a body. */
export function unset(...names: FieldName[]): BodyEdit {
  return (body) => Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name as FieldName)));
}

/** Changes each file that a case has. */
export function eachFile(edit: BodyEdit): BodyEdit {
  return (body, request) => ({ ...body, files: body.files?.map((file) => edit(file, request) ?? file) });
}
