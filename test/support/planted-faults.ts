/** Documents of other APIs, servers that break one promise of them, and the relations that find it. */
import type { IncomingHttpHeaders, OutgoingHttpHeaders, RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect } from '@jest/globals';
import type { ApiDocument } from '../../contract/document/index.ts';
import { idsOf, reportOn, targetAt } from './contract.ts';

export const json = (schema: object) => ({ 'application/json': { schema } });

/** @param responses by status, the content or a description */
export const operation = (
  operationId: string,
  responses: Record<string, object | string>,
  sent?: object,
  more: object = {},
) => ({
  ...{ operationId, ...(sent && { requestBody: { required: true, content: json(sent) } }), ...more },
  responses: Object.fromEntries(
    Object.entries({ 400: 'Invalid', 404: 'There is none', ...responses }).map(([key, got]) => {
      return [key, typeof got === 'string' ? { description: got } : { description: 'Done', content: got }];
    }),
  ),
});

export type Reply = readonly [status: number, value?: unknown, headers?: OutgoingHttpHeaders];
type Respond = (method: string, url: URL, sent: Record<string, unknown>, headers: IncomingHttpHeaders) => Reply;

/** A server of JSON, and of texts as CSV. */
export function serverOf(respond: Respond): RequestListener {
  return (request, response) => {
    void text(request).then((body) => {
      const url = new URL(request.url ?? '', 'http://localhost');
      const sent = (body === '' ? {} : JSON.parse(body)) as Record<string, unknown>;
      const [code, value, headers] = respond(request.method ?? '', url, sent, request.headers);
      const type = typeof value === 'string' ? 'text/csv' : 'application/json';
      response.writeHead(code, { 'Content-Type': type, ...headers });
      response.end(typeof value === 'string' || value === undefined ? value : JSON.stringify(value));
    });
  };
}

/** @param failed the relations that must fail, as in `addNote.created`; if none, all must hold */
export async function expectFailed(url: string, document: ApiDocument, failed: readonly string[], secrets = {}) {
  const ids = failed.map((id) => (id.startsWith('explored') ? id : `generated.${id.replace('.', '.relation.')}`));
  const selection = { only: ids.length > 0 ? ids : ['generated.*', 'replay.*.2*'], skip: [] };
  const report = await reportOn(targetAt(url, secrets), { document, selection });
  expect(idsOf(report, 'failed')).toEqual(ids);
}
