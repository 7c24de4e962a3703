import type { ServerResponse } from 'node:http';
import type { Variant, ProxiedRequest, ProxiedResponse } from '../mutant.ts';

type Edit = (response: ProxiedResponse, request: ProxiedRequest) => void;

/** A variant that changes each response. */
export function changing(name: string, differs: string, edit: Edit): Variant {
  return {
    name,
    breaks: differs,
    start:
      ({ forward }) =>
      async (request) => {
        const isHead = request.method === 'HEAD';
        // HEAD must have the headers of the changed response.
        const response = await forward(isHead ? { ...request, method: 'GET' } : request);
        edit(response, request);
        delete response.headers['content-length'];
        if (isHead) response.body = '';
        return response;
      },
  };
}

/** Changes a JSON body. */
export function json(edit: (value: unknown) => unknown): Edit {
  return (response) => {
    if (response.body !== '') response.body = JSON.stringify(edit(JSON.parse(response.body)));
  };
}

/** Adds or replaces headers. */
export function headers(added: Record<string, string | string[]>): Edit {
  return (response) => {
    Object.assign(response.headers, added);
  };
}

/** A variant that changes one header of each response that has it. */
export function header(name: string, differs: string, field: string, edit: (value: string) => string): Variant {
  return changing(name, differs, (response) => {
    const value = response.headers[field];
    if (typeof value === 'string') response.headers[field] = edit(value);
  });
}

/** A variant that writes the bytes of each response itself. */
export function sending(
  name: string,
  differs: string,
  send: (outgoing: ServerResponse, response: ProxiedResponse, request: ProxiedRequest) => void,
): Variant {
  return changing(name, differs, (response, request) => {
    response.send = (outgoing) => {
      send(outgoing, response, request);
    };
  });
}

/** The headers of a response as lines, without those of the connection. */
export function linesOf(response: ProxiedResponse): [name: string, value: string][] {
  return Object.entries(response.headers).flatMap(([name, values]) =>
    /^(connection|keep-alive|transfer-encoding|content-length)$/.test(name)
      ? []
      : [values ?? []].flat().map((value): [string, string] => [name, value]),
  );
}

/** Writes a response unchanged, and ends the connection. */
export function writeRaw(
  outgoing: ServerResponse,
  version: string,
  status: string,
  lines: string[],
  body: Buffer,
): void {
  const { socket } = outgoing;
  socket?.write(`HTTP/${version} ${status}\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\n`);
  socket?.end(body);
}
