/** Watches one request and its response without changing or delaying them, and asks the oracle about both. */
import type { IncomingMessage } from 'node:http';
import { finished } from 'node:stream/promises';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import { matchOperation } from '../document/index.ts';
import type { ApiDocument } from '../document/model.ts';
import type { ContractRule, HeaderFields } from '../oracle/messages.ts';
import { credentialHeaders, requestViolations } from '../oracle/request.ts';
import { responseViolations } from '../oracle/response.ts';
import { SecretMask } from '../run/mask.ts';

/** A violation of the contract in a request or a response: of the document, or because there is no complete response. */
export interface ProxyViolation {
  readonly rule: ContractRule | 'no response';
  readonly message: string;
}

/** A request or a response that passed the proxy, in the format of the JSON output. */
export interface ProxyRecord {
  readonly type: 'request' | 'response';
  readonly time: string;
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly operation_id: string | null;
  /** The status of the response; null in a request, and if there is no response. */
  readonly status: number | null;
  /** The `X-Request-Id` of the request, and of the response. */
  readonly request_id: string | null;
  /** The first violations, at most {@link mostViolations}. */
  readonly violations: readonly ProxyViolation[];
  readonly violations_left_out: number;
  /** Why the body was not checked against the document; null if it was. */
  readonly body_not_checked: string | null;
}

/** Limited, because a long list can have a violation in each of its elements. */
const mostViolations = 50;

/** The maximum size of a body to check: about 45,000 files of a case. */
const largestBodyBytes = 16 * 1024 * 1024;

/** The dependencies of an observation. */
export interface Observer {
  readonly document: ApiDocument;
  /** Called with each request and response after it has passed, whether it conforms or not. */
  readonly report: (record: ProxyRecord) => void;
  readonly now: () => Date;
}

/** Observes a request. @param target path and query; the query is never reported */
export function observe(request: IncomingMessage, target: string, { document, report, now }: Observer) {
  const [method, path] = [String(request.method), target.replace(/\?.*/s, '')];
  const tell = (
    type: ProxyRecord['type'],
    { violations, ...found }: Partial<ProxyRecord> & Pick<ProxyRecord, 'violations'>,
  ): void => {
    const record: ProxyRecord = {
      type,
      time: now().toISOString(),
      method,
      path,
      operation_id: matchOperation(document, method, path)?.operationId ?? null,
      status: null,
      request_id: null,
      body_not_checked: null,
      ...found,
      violations: violations.slice(0, mostViolations),
      violations_left_out: Math.max(0, violations.length - mostViolations),
    };
    report(masked(record, request.headersDistinct, document));
  };
  const sent = copyOf(request);
  request.once('end', () => {
    const headers = request.headersDistinct;
    const received = { method, path: target, headers, bodyBytes: sent.bytes, body: sent.whole };
    const request_id = headers['x-request-id']?.[0] ?? null;
    tell('request', { request_id, violations: requestViolations(received, document) });
  });

  return {
    /** Observes a response; resolves once it has been reported or was aborted. */
    async response(incoming: IncomingMessage): Promise<void> {
      const copy = copyOf(incoming);
      const isAborted = await finished(incoming).catch(() => true);
      if (isAborted) return;
      const status = Number(incoming.statusCode);
      const headers = Object.fromEntries(
        Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]),
      );
      const decoded = await decode(copy, headers['content-encoding']).catch((error: unknown) => error as Error);
      const unchecked = decoded instanceof Error ? decoded.message : null;
      const received = { status, headers, text: decoded instanceof Error ? '' : decoded };
      const violations = responseViolations(method, path, received, { allowExtraFields: false, document });
      tell('response', {
        status,
        request_id: headers['x-request-id'] ?? null,
        // Without the body, only its own violations are unknown.
        violations: unchecked === null ? violations : violations.filter(({ rule }) => rule !== 'body'),
        body_not_checked: unchecked,
      });
    },

    /** Records that the request got no response, or an incomplete one. */
    noResponse(message: string): void {
      tell('response', { violations: [{ rule: 'no response', message }] });
    },
  };
}

/** A copy of the bytes that pass. */
function copyOf(message: IncomingMessage) {
  let [chunks, bytes]: [Buffer[], number] = [[], 0];
  message.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= largestBodyBytes) chunks.push(chunk);
    else chunks = [];
  });
  return {
    get bytes() {
      return bytes;
    },
    /** Undefined if it exceeds the maximum. */
    get whole() {
      return bytes <= largestBodyBytes ? Buffer.concat(chunks) : undefined;
    },
  };
}

const decoders: Record<string, typeof gunzip | undefined> = {
  gzip: gunzip,
  'x-gzip': gunzip,
  deflate: inflate,
  br: brotliDecompress,
};

/** @throws {Error} with the reason if the content codings cannot be decoded */
async function decode({ whole }: ReturnType<typeof copyOf>, contentEncoding = 'identity'): Promise<string> {
  if (!whole) throw new Error(`it is larger than ${largestBodyBytes} bytes`);
  let bytes = whole;
  if (bytes.length === 0) return '';
  for (const coding of contentEncoding.toLowerCase().split(/ *, */).reverse()) {
    if (coding === 'identity') continue;
    const decoder = decoders[coding];
    if (!decoder) throw new Error(`its content coding ${coding} is unknown`);
    bytes = await promisify(decoder)(bytes, { maxOutputLength: largestBodyBytes }).catch((error: unknown) => {
      throw new Error(`it cannot be decoded: ${(error as Error).message}`);
    });
  }
  return bytes.toString();
}

const underscore = '(?:_|%(?:25)*5f)';
const prefix = `da[kt]${underscore}[a-z]+${underscore}`;
const ownSecret = new RegExp(String.raw`(${prefix})(?:\w|%(?:25)*[3-7][0-9a-f])+`, 'gi');
const jsonWebToken = /eyJ[\w.-]{16,}/g;

/** Hides the credentials that were sent, and what looks like one: a JSON Web Token, or a secret such as `dak_uk_…`. */
function masked(record: ProxyRecord, headers: HeaderFields, document: ApiDocument): ProxyRecord {
  const secrets = credentialHeaders(document).flatMap((header) =>
    (headers[header] ?? []).map((value) => [header, value.replace(/^\S+ +/, '')] as const),
  );
  const mask = new SecretMask(secrets);
  const hide = (text: string) => mask.mask(text).replace(ownSecret, '$1[hidden]').replace(jsonWebToken, '[hidden]');
  return {
    ...record,
    path: hide(record.path),
    request_id: record.request_id === null ? null : hide(record.request_id),
    violations: record.violations.map(({ rule, message }) => ({ rule, message: hide(message) })),
  };
}
