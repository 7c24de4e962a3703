import type { IncomingMessage } from 'node:http';
import { answerViolations } from '../conformance/response.ts';
import { operationIdOf } from '../document/document.ts';
import { requestViolations } from '../conformance/request.ts';
import { BodyCopy } from './body-copy.ts';
import { maskRecord } from './mask-record.ts';
import { mostViolations, type ProxyRecord, type ProxyViolation } from './proxy-record.ts';

/** The largest body that is held against the document: about 45,000 files of a case. */
const largestBodyBytes = 16 * 1024 * 1024;

/** Told of each request and answer once it has passed, whether it breaks the contract or not. */
export type Report = (record: ProxyRecord) => void;

/** Who looks on. */
export interface Observer {
  readonly report: Report;
  readonly now: () => Date;
}

/** One request and its answer as they pass by. Neither is changed or held up. */
export class ObservedExchange {
  readonly #request: IncomingMessage;
  readonly #method: string;
  readonly #path: string;
  readonly #observer: Observer;

  /** @param target path and query; the query is told to nobody */
  constructor(request: IncomingMessage, target: string, observer: Observer) {
    this.#request = request;
    this.#method = String(request.method);
    this.#path = target.replace(/\?.*/s, '');
    this.#observer = observer;
    const copy = new BodyCopy(largestBodyBytes);
    request.on('data', (chunk: Buffer) => {
      copy.add(chunk);
    });
    request.once('end', () => {
      this.#tellRequest(copy);
    });
  }

  /** Looks at an answer that begins; resolves once it has been told, or has broken off. */
  async answer(incoming: IncomingMessage): Promise<void> {
    const copy = new BodyCopy(largestBodyBytes);
    const status = Number(incoming.statusCode);
    const told = await new Promise<boolean>((resolve) => {
      incoming.on('data', (chunk: Buffer) => {
        copy.add(chunk);
      });
      incoming.once('end', () => {
        resolve(true);
      });
      incoming.once('close', () => {
        resolve(false);
      });
    });
    if (!told) return;
    const headers = Object.fromEntries(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]));
    const decoded = await copy.decode(incoming.headers['content-encoding']).catch((error: unknown) => error as Error);
    const unchecked = decoded instanceof Error ? decoded.message : null;
    const text = decoded instanceof Error ? '' : decoded;
    const violations = answerViolations(this.#method, this.#path, { status, headers, text });
    this.#tell('answer', {
      status,
      request_id: headers['x-request-id'] ?? null,
      // Of a body that was not read nothing can be said; what is said of the rest holds.
      violations: unchecked === null ? violations : violations.filter(({ rule }) => rule !== 'body'),
      body_not_checked: unchecked,
    });
  }

  /** Notes that the request has got no answer, or not the whole of one. */
  noAnswer(reason: string): void {
    this.#tell('answer', { violations: [{ rule: 'no answer', message: reason }] });
  }

  #tellRequest(copy: BodyCopy): void {
    const { headersDistinct: headers } = this.#request;
    const body = copy.whole;
    const request = { method: this.#method, path: this.#path, headers, bodyBytes: copy.bytes, body };
    this.#tell('request', { request_id: headers['x-request-id']?.[0] ?? null, violations: requestViolations(request) });
  }

  #tell(type: ProxyRecord['type'], found: Partial<ProxyRecord> & { violations: readonly ProxyViolation[] }): void {
    const [method, path] = [this.#method, this.#path];
    const record: ProxyRecord = {
      type,
      time: this.#observer.now().toISOString(),
      method,
      path,
      operation_id: operationIdOf(method, path) ?? null,
      status: null,
      request_id: null,
      body_not_checked: null,
      ...found,
      violations: found.violations.slice(0, mostViolations),
      violations_left_out: Math.max(0, found.violations.length - mostViolations),
    };
    this.#observer.report(maskRecord(record, this.#request.headersDistinct));
  }
}
