/** The ways to make a fault: from what is changed in an answer or in a request. */
import { operationIdOf } from '../document/document.ts';
import type { Fault, ProxiedAnswer, ProxiedRequest, ServerBehind } from './mutant.ts';

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

/** The body of any answer. */
export type Body = { [name in FieldName]?: unknown } & { files?: Body[]; error_details?: { errors?: unknown[] } };

/** Changes a body, or returns what stands in its place. */
export type BodyEdit = (body: Body, request: ProxiedRequest) => unknown;

/** An operationId or `*`, and a regular expression of the status, as in `getCase 200` or `* 4..`. */
export type Where = string;

type Named<Rest extends unknown[]> = readonly [name: string, breaks: string, ...rest: Rest];

/** Whether an answer to the request is meant. */
export function isWhere(where: Where, { method, path }: ProxiedRequest, status: number): boolean {
  const [operation = '', statuses = ''] = where.split(' ');
  if (!new RegExp(`^(${statuses})$`).test(String(status))) return false;
  return operation === '*' || operation.split('|').includes(operationIdOf(method, path) ?? 'none');
}

/** Faults that change answers. */
export function answerFaults(
  faults: readonly Named<[Where, (answer: ProxiedAnswer, request: ProxiedRequest) => void]>[],
): Fault[] {
  return faults.map(([name, breaks, where, edit]) => ({
    name,
    breaks,
    start: (server) => async (request) => {
      const answer = await server.forward(asGet(request));
      if (isWhere(where, request, answer.status)) edit(answer, request);
      return request.method === 'HEAD' ? withoutBody(answer) : answer;
    },
  }));
}

/** HEAD is to have the headers of the changed answer, among them its length. */
function asGet(request: ProxiedRequest): ProxiedRequest {
  return request.method === 'HEAD' ? { ...request, method: 'GET' } : request;
}

function withoutBody({ status, headers, body }: ProxiedAnswer): ProxiedAnswer {
  return { status, headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) }, body: '' };
}

/** Faults that change the bodies of answers. */
export function bodyFaults(faults: readonly Named<[Where, BodyEdit]>[]): Fault[] {
  return answerFaults(
    faults.map(([name, breaks, where, edit]) => [
      name,
      breaks,
      where,
      (answer, request) => {
        if (answer.body === '') return;
        const body = JSON.parse(answer.body) as Body;
        answer.body = JSON.stringify(edit(body, request) ?? body);
      },
    ]),
  );
}

/** Faults that change the headers of answers; `undefined` takes one away. */
export function headerFaults(faults: readonly Named<[Where, Record<string, string | undefined>]>[]): Fault[] {
  return answerFaults(
    faults.map(([name, breaks, where, headers]) => [
      name,
      breaks,
      where,
      (answer) => {
        Object.assign(answer.headers, headers);
      },
    ]),
  );
}

/** Faults that change requests before the server sees them. */
export function requestFaults(
  faults: readonly Named<[(request: ProxiedRequest, server: ServerBehind) => ProxiedRequest | undefined]>[],
): Fault[] {
  return faults.map(([name, breaks, edit]) => ({
    name,
    breaks,
    start: (server) => (request) => server.forward(edit(request, server) ?? request),
  }));
}

/** Faults with a handler of their own. */
export function handlerFaults(faults: readonly Named<[Fault['start']]>[]): Fault[] {
  return faults.map(([name, breaks, start]) => ({ name, breaks, start }));
}

/** Sets fields of a body. */
export function set(fields: Body): BodyEdit {
  return (body) => ({ ...body, ...fields });
}

/** Leaves fields of a body out. */
export function unset(...names: FieldName[]): BodyEdit {
  return (body) => Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name as FieldName)));
}

/** Changes each file that a case has. */
export function eachFile(edit: BodyEdit): BodyEdit {
  return (body, request) => ({ ...body, files: body.files?.map((file) => edit(file, request) ?? file) });
}
