import { randomBytes, randomUUID } from 'node:crypto';
import type { RequestListener, ServerResponse } from 'node:http';
import { hasOwnHost } from '../document/document.ts';
import { Refusal } from '../../src/api/errors.ts';
import { originForm } from '../../src/api/steps/canonical-request.ts';
import { sendJson } from '../../src/api/send-json.ts';
import { forward } from './forward.ts';
import { ObservedExchange, type Report } from './observed-exchange.ts';

const retryAfterSeconds = '5';

export interface ProxyOptions {
  /** The base address of the server behind the proxy, without a slash at its end. */
  readonly target: string;
  /** Where requests go whose path has base addresses of its own in the document. */
  readonly caseTarget: string;
  readonly timeoutSeconds: number;
  readonly report: Report;
  readonly now: () => Date;
}

/** A proxy that passes everything on and reports what breaks the contract. */
export interface Proxy {
  readonly listener: RequestListener;
  /** To be called when no request is under way any more; resolves when everything has been reported. */
  close(): Promise<void>;
}

/** Builds the proxy. What gets no answer is answered with the documented error `service.unavailable`. */
export function createProxy({ target, caseTarget, timeoutSeconds, report, now }: ProxyOptions): Proxy {
  const via = `document-analysis-proxy-${randomBytes(4).toString('hex')}`;
  const underWay = new Set<Promise<void>>();

  return {
    listener: (request, response) => {
      const path = originForm(request.url);
      const exchange = new ObservedExchange(request, path, { report, now });
      const fail = (reason: string): void => {
        exchange.noAnswer(reason);
        if (!response.headersSent) sendUnavailable(response, reason);
      };
      if (request.headers.via?.includes(via) === true) {
        fail('the target is this proxy itself');
        return;
      }
      const base = hasOwnHost(String(request.method), path) ? caseTarget : target;
      forward(
        request,
        response,
        { base, path, timeoutSeconds, via },
        {
          onAnswer: (answer) => {
            const told = exchange.answer(answer).finally(() => underWay.delete(told));
            underWay.add(told);
          },
          onFailure: fail,
        },
      );
    },
    close: async () => {
      await Promise.all(underWay);
    },
  };
}

function sendUnavailable(response: ServerResponse, reason: string): void {
  const { status, body } = new Refusal('service.unavailable', { details: { proxy: reason } });
  sendJson(response, status, body, { 'Retry-After': retryAfterSeconds, 'X-Request-Id': randomUUID() });
}
