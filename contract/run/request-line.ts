/**
 * Requests whose first line no HTTP client writes. Node.js writes the rest, and reads the response: the line alone is replaced
 * on its way to the socket.
 */
import net from 'node:net';
import tls from 'node:tls';
import type { Duplex } from 'node:stream';
import type { ClientRequestArgs } from 'node:http';

type Write = (chunk: string | Uint8Array, ...rest: unknown[]) => boolean;

/** Makes connections for one request each, which is sent with this first line. */
export function connectionWith(requestLine: string, secure: boolean): (options: ClientRequestArgs) => Duplex {
  return (options) => {
    const target = { ...options, port: Number(options.port) || (secure ? 443 : 80), host: options.hostname ?? '' };
    const socket = secure
      ? tls.connect({ ...(target as tls.ConnectionOptions), servername: net.isIP(target.host) ? '' : target.host })
      : net.connect(target);
    const write = socket.write.bind(socket) as Write;
    let isFirst = true;
    const replacing: Write = (chunk, ...rest) => {
      const text = isFirst
        ? Buffer.from(chunk)
            .toString('latin1')
            .replace(/^[^\r]*/, requestLine)
        : undefined;
      isFirst = false;
      return text === undefined ? write(chunk, ...rest) : write(Buffer.from(text, 'latin1'), ...rest.slice(-1));
    };
    return Object.assign(socket, { write: replacing });
  };
}
