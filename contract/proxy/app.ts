import { randomBytes, randomUUID } from 'node:crypto';
import type { RequestListener, ServerResponse } from 'node:http';
import { originForm, send } from '../cli/serve.ts';
import { hasOwnHost } from '../document/index.ts';
import { ownDocument } from '../document/own-document.ts';
import { isPreflight } from '../oracle/request.ts';
import { forward } from './forward.ts';
import { type Observer, observe } from './observe.ts';

export interface ProxyOptions extends Omit<Observer, 'document'>, Partial<Pick<Observer, 'document'>> {
  /** The base address of the server behind the proxy, without a trailing slash. */
  readonly target: string;
  /** The target of requests whose path has its own base addresses in the document. */
  readonly caseTarget: string;
  readonly timeoutSeconds: number;
}

/**
 * A proxy that forwards everything and reports violations of the contract, which does not cover preflight requests. If the
 * target does not respond, the response is the documented error `service.unavailable`.
 */
export function createProxy(options: ProxyOptions) {
  const { target, caseTarget, timeoutSeconds, document = ownDocument, report, now } = options;
  const via = `document-analysis-proxy-${randomBytes(4).toString('hex')}`;
  const inFlight = new Set<Promise<void>>();

  return {
    listener: ((request, toClient) => {
      const path = originForm(request.url);
      const exchange = isPreflight(request) ? undefined : observe(request, path, { document, report, now });
      const onFailure = (reason: string): void => {
        exchange?.noResponse(reason);
        if (!toClient.headersSent) sendUnavailable(toClient, reason);
      };
      if (request.headers.via?.includes(via) === true) {
        onFailure('the target is this proxy itself');
        return;
      }
      const base = hasOwnHost(document, String(request.method), path) ? caseTarget : target;
      const onResponse: Parameters<typeof forward>[3]['onResponse'] = (response) => {
        if (!exchange) return;
        const told = exchange.response(response).finally(() => inFlight.delete(told));
        inFlight.add(told);
      };
      forward(request, toClient, { base, path, timeoutSeconds, via }, { onResponse, onFailure });
    }) satisfies RequestListener,
    /** Call it when no request is in flight any more; resolves when everything has been reported. */
    close: async (): Promise<void> => {
      await Promise.all(inFlight);
    },
  };
}

function sendUnavailable(toClient: ServerResponse, reason: string): void {
  const error_code = 'service.unavailable';
  const error_message = ownDocument.errors[error_code]?.message;
  const body = JSON.stringify({ error_code, error_message, error_details: { proxy: reason } });
  const headers = { 'Retry-After': '5', 'X-Request-Id': randomUUID() };
  send(toClient, 503, headers, { mediaType: 'application/json', body });
}
