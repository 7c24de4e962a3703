/** Documents of other APIs, servers that break one promise of them, and the relations that find it. */
import type { IncomingHttpHeaders, OutgoingHttpHeaders, RequestListener } from 'node:http';
import { buffer, text } from 'node:stream/consumers';
import { expect, test } from '@jest/globals';
import { type ApiDocument, matchOperation } from '../../contract/document/index.ts';
import { parsed } from '../../contract/oracle/json.ts';
import { type RequestFault, requestFaults } from '../../contract/oracle/request.ts';
import type { Credentials } from '../../contract/run/model.ts';
import { idsOf, reportOn, targetAt } from './contract.ts';
import { serveHttp } from './misbehaving-servers.ts';
import { type Behaviour, resourceServer } from './resource-server.ts';

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

/** A request that calls an operation of a document. */
export interface Called {
  readonly operationId: string;
  /** The second part of the path. */
  readonly id: string;
  /** The fourth part, as the identifier of what belongs to it. */
  readonly part: string;
  readonly query: URLSearchParams;
  readonly sent: Record<string, unknown>;
  /** As it came. */
  readonly body: string;
  readonly headers: IncomingHttpHeaders;
  readonly faults: readonly RequestFault[];
}

/** A server that knows from its document what is wrong with a request. */
export function describedServer(api: ApiDocument, respond: (called: Called) => Reply): RequestListener {
  return (request, response) => {
    void buffer(request).then((body) => {
      const { method = '', url: path = '', headers, headersDistinct } = request;
      const operation = matchOperation(api, method, path);
      const received = { method, path, headers: headersDistinct, body, bodyBytes: body.length };
      const { pathname, searchParams: query } = new URL(path, 'http://localhost');
      const [code, value, more] = respond({
        operationId: operation?.operationId ?? '',
        id: pathname.split('/')[2] ?? '',
        part: pathname.split('/')[4] ?? '',
        ...{ query, headers, body: body.toString(), sent: (parsed(body.toString()) ?? {}) as Called['sent'] },
        faults: operation ? requestFaults(operation, received) : [],
      });
      const type = typeof value === 'string' ? 'text/csv' : 'application/json';
      response.writeHead(code, { 'Content-Type': type, ...more });
      response.end(typeof value === 'string' ? value : JSON.stringify(value));
    });
  };
}

/** Of servers that look at no body, which may keep what their documents forbid. */
export const ofValidation = ['*.relation.refused'];

/**
 * @param failed the relations that must fail, as in `addNote.created`; if none, all must hold
 * @param skip checks that are not run if all must hold
 */
export async function expectFailed(
  url: string,
  document: ApiDocument,
  failed: readonly string[],
  secrets = {},
  skip: string[] = [],
) {
  const ids = failed.map((id) =>
    /^(explored|conformance)/.test(id) ? id : `generated.${id.replace('.', '.relation.')}`,
  );
  const selection = { only: ids.length > 0 ? ids : ['generated.*', 'replay.*.2*'], skip };
  const report = await reportOn(targetAt(url, secrets), { document, selection });
  expect(idsOf(report, 'failed')).toEqual(ids);
}

/** A server in words, what it does otherwise than the right one, and the relations that find that. */
type Fault<Ways> = readonly [title: string, wrong: Partial<Ways>, failed: readonly string[]];

/**
 * Tests that a server of an API conforms, and that each fault is found.
 * @param right how the server does what the faulty ones do otherwise
 */
export function testFaults<F extends object, Ways extends object>(
  api: ApiDocument,
  right: Ways,
  behaviour: (ways: Ways) => Behaviour<F>,
  faults: readonly Fault<Ways>[],
  secrets: Partial<Credentials> = {},
): void {
  test.each<Fault<Ways>>([['conforms', {}, []], ...faults])(
    `a server of ${api.title} that %s`,
    async (_title, wrong, failed) => {
      const url = await serveHttp(resourceServer(api, behaviour({ ...right, ...wrong })));
      await expectFailed(url, api, failed, secrets);
    },
  );
}
