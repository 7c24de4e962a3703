/**
 * Checks of the responses that belong to no operation: to bytes that are not HTTP, and to an oversized header section.
 */
import type { Check, RequestSpec } from '../../run/model.ts';
import type { ApiDocument } from '../../document/model.ts';
import { isOwnApi } from '../../document/own-document.ts';
import { notProvokable } from '../../run/run-checks.ts';
import { UnmetPreconditionError } from '../../run/unmet-precondition-error.ts';
import { expectStatus } from '../expect.ts';

const path = '/no-such-path-9f3b';
const lengthOf = (headers: RequestSpec['headers'] = []) =>
  headers.reduce((length, [name, value]) => length + `${name}: ${value}\r\n`.length, 0);

/** A header section of about this size, because gateways may add fields. HAProxy reads at most 101 fields. */
function headersOf(bytes: number, each: number): [string, string][] {
  const headers: [string, string][] = [];
  while (lengthOf(headers) < bytes) {
    const name = `X-Filler-${headers.length}`;
    headers.push([name, 'x'.repeat(Math.max(1, Math.min(each, bytes - lengthOf(headers)) - name.length - 4))]);
  }
  return headers;
}

const sections: [name: string, bytes: number, each: number, status: number][] = [
  ['of-15-KiB-in-one-field', 15 * 1024, Infinity, 404],
  ['of-15-KiB-in-many-fields', 15 * 1024, 256, 404],
  ['of-17-KiB-in-one-field', 17 * 1024, Infinity, 431],
  ['of-24-KiB-in-many-fields', 24 * 1024, 256, 431],
];

const notHttp: [name: string, requestLine: string][] = [
  ['word', 'NONSENSE'],
  ['version-9', `GET ${path} HTTP/9.9`],
  ['version-of-letters', `GET ${path} HTTP/a.b`],
  ['target-absent', 'GET HTTP/1.1'],
  ['method-in-lower-case', `get ${path} HTTP/1.1`],
  ['unknown-protocol', `GET ${path} FTP/1.1`],
];

/** Checks that such requests get the documented responses, if there are any. */
export function serviceChecks(document: ApiDocument): Check[] {
  if (!isOwnApi(document)) return [];
  const send = (name: string, title: string, request: RequestSpec, status: number): Check => ({
    id: `generated.service.${name}`,
    layer: 'generated',
    source: 'document',
    title,
    rules: [],
    needs: [],
    readsOnly: true,
    run: async (context) => {
      // A TLS terminator parses requests itself, and refuses malformed ones in its own way.
      if (request.requestLine !== undefined && context.credentials.base_url.startsWith('https:'))
        throw new UnmetPreconditionError(`${notProvokable}the TLS terminator responds instead of the service`);
      expectStatus(await context.call(request), status);
      // The service still responds, and so does the connection unless it was closed.
      expectStatus(await context.call({ method: 'GET', path }), 404);
    },
  });
  return [
    ...sections.map(([name, bytes, each, status]) =>
      send(
        `header-section-${name}`,
        `a header section ${name.replaceAll('-', ' ')} ${status === 431 ? 'gets 431' : 'is accepted'}`,
        { method: 'GET', path, headers: headersOf(bytes, each) },
        status,
      ),
    ),
    ...notHttp.map(([name, requestLine]) =>
      send(
        `malformed-${name}`,
        `a request whose first line is ${requestLine} gets 400`,
        { method: 'GET', path, requestLine },
        400,
      ),
    ),
  ];
}
