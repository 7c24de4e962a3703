import { matchOperation } from '../document/index.ts';
import type { IncomingMessage } from 'node:http';
import { responseViolations } from '../oracle/response.ts';
import type { ApiDocument } from '../document/model.ts';
import { credentialHeaders, requestViolations } from '../oracle/request.ts';
import { BodyCopy } from './body-copy.ts';
import { type ProxyRecord, type ProxyViolation, mostViolations } from './proxy-record.ts';
import type { HeaderFields } from '../oracle/documented-response.ts';
import { SecretMask } from '../run/mask.ts';

/** The maximum size of a body to check: about 45,000 files of a case. */
const largestBodyBytes = 16 * 1024 * 1024;

/** Called with each request and response after it has passed, whether it conforms or not. */
export type Report = (record: ProxyRecord) => void;

/** The dependencies of an observation. */
export interface Observer {
  readonly document: ApiDocument;
  readonly report: Report;
  readonly now: () => Date;
}

/** Observes one request and its response without changing or delaying them. */
export class ObservedExchange {
  readonly #request: IncomingMessage;
  readonly #method: string;
  readonly #target: string;
  readonly #path: string;
  readonly #observer: Observer;

  /** @param target path and query; the query is never reported */
  constructor(request: IncomingMessage, target: string, observer: Observer) {
    this.#request = request;
    this.#method = String(request.method);
    this.#target = target;
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

  /** Observes a response; resolves once it has been reported or was aborted. */
  async response(incoming: IncomingMessage): Promise<void> {
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
    const violations = responseViolations(
      this.#method,
      this.#path,
      { status, headers, text },
      { allowExtraFields: false, document: this.#observer.document },
    );
    this.#tell('response', {
      status,
      request_id: headers['x-request-id'] ?? null,
      // Without the body, only its own violations are unknown.
      violations: unchecked === null ? violations : violations.filter(({ rule }) => rule !== 'body'),
      body_not_checked: unchecked,
    });
  }

  /** Records that the request got no response, or an incomplete one. */
  noResponse(reason: string): void {
    this.#tell('response', { violations: [{ rule: 'no response', message: reason }] });
  }

  #tellRequest(copy: BodyCopy): void {
    const { headersDistinct: headers } = this.#request;
    const body = copy.whole;
    const request = { method: this.#method, path: this.#target, headers, bodyBytes: copy.bytes, body };
    this.#tell('request', {
      request_id: headers['x-request-id']?.[0] ?? null,
      violations: requestViolations(request, this.#observer.document),
    });
  }

  #tell(type: ProxyRecord['type'], found: Partial<ProxyRecord> & { violations: readonly ProxyViolation[] }): void {
    const [method, path] = [this.#method, this.#path];
    const record: ProxyRecord = {
      type,
      time: this.#observer.now().toISOString(),
      method,
      path,
      operation_id: matchOperation(this.#observer.document, method, path)?.operationId ?? null,
      status: null,
      request_id: null,
      body_not_checked: null,
      ...found,
      violations: found.violations.slice(0, mostViolations),
      violations_left_out: Math.max(0, found.violations.length - mostViolations),
    };
    this.#observer.report(maskRecord(record, this.#request.headersDistinct, this.#observer.document));
  }
}

const underscore = '(?:_|%(?:25)*5f)';
const prefix = `da[kt]${underscore}[a-z]+${underscore}`;
const ownSecret = new RegExp(String.raw`(${prefix})(?:\w|%(?:25)*[3-7][0-9a-f])+`, 'gi');
const jsonWebToken = /eyJ[\w.-]{16,}/g;

/** Hides JSON Web Tokens and the secret part after a prefix of this service, such as `dak_uk_…`, anywhere in a text. */
function hideSecrets(text: string): string {
  return text.replace(ownSecret, '$1[hidden]').replace(jsonWebToken, '[hidden]');
}

/** Hides the credentials that were sent, and anything else that looks like a secret of this service. */
export function maskRecord(record: ProxyRecord, headers: HeaderFields, document: ApiDocument): ProxyRecord {
  const secrets = credentialHeaders(document).flatMap((header) =>
    (headers[header] ?? []).map((value) => [header, value.replace(/^\S+ +/, '')] as const),
  );
  const mask = new SecretMask(secrets);
  const hide = (text: string): string => hideSecrets(mask.mask(text));
  return {
    ...record,
    path: hide(record.path),
    request_id: record.request_id === null ? null : hide(record.request_id),
    violations: record.violations.map(({ rule, message }) => ({ rule, message: hide(message) })),
  };
}
