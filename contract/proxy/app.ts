import { hasOwnHost } from '../document/index.ts';
import { randomBytes, randomUUID } from 'node:crypto';
import type { RequestListener, ServerResponse } from 'node:http';
import { originForm, send } from '../cli/http.ts';
import { isPreflight } from '../conformance/preflight.ts';
import type { ApiDocument } from '../document/model.ts';
import { ownDocument } from '../document/own-document.ts';
import { forward } from './forward.ts';
import { ObservedExchange, type Report } from './observed-exchange.ts';

const retryAfterSeconds = '5';

export interface ProxyOptions {
  /** The base address of the server behind the proxy, without a slash at its end. */
  readonly target: string;
  /** Where requests go whose path has base addresses of its own in the document. */
  readonly caseTarget: string;
  readonly timeoutSeconds: number;
  /** By default the project's own. */
  readonly document?: ApiDocument;
  readonly report: Report;
  readonly now: () => Date;
}

/** A proxy that passes everything on and reports what breaks the contract; of preflight requests that says nothing. */
export interface Proxy {
  readonly listener: RequestListener;
  /** To be called when no request is in flight any more; resolves when everything has been reported. */
  close(): Promise<void>;
}

/** Builds the proxy. What gets no response is returned with the documented error `service.unavailable`. */
export function createProxy(options: ProxyOptions): Proxy {
  const { target, caseTarget, timeoutSeconds, document = ownDocument, report, now } = options;
  const via = `document-analysis-proxy-${randomBytes(4).toString('hex')}`;
  const inFlight = new Set<Promise<void>>();

  return {
    listener: (request, toClient) => {
      const path = originForm(request.url);
      const exchange = isPreflight(request)
        ? undefined
        : new ObservedExchange(request, path, { document, report, now });
      const fail = (reason: string): void => {
        exchange?.noResponse(reason);
        if (!toClient.headersSent) sendUnavailable(toClient, reason);
      };
      if (request.headers.via?.includes(via) === true) {
        fail('the target is this proxy itself');
        return;
      }
      const base = hasOwnHost(document, String(request.method), path) ? caseTarget : target;
      forward(
        request,
        toClient,
        { base, path, timeoutSeconds, via },
        {
          onResponse: (response) => {
            if (!exchange) return;
            const told = exchange.response(response).finally(() => inFlight.delete(told));
            inFlight.add(told);
          },
          onFailure: fail,
        },
      );
    },
    close: async () => {
      await Promise.all(inFlight);
    },
  };
}

function sendUnavailable(toClient: ServerResponse, reason: string): void {
  const error_code = 'service.unavailable';
  const error_message = ownDocument.errors[error_code]?.message;
  const body = JSON.stringify({ error_code, error_message, error_details: { proxy: reason } });
  const headers = { 'Retry-After': retryAfterSeconds, 'X-Request-Id': randomUUID() };
  send(toClient, 503, headers, { mediaType: 'application/json', body });
}
