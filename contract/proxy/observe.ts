/** Watches one request and its response without changing or delaying them, and asks the oracle about both. */
import type { IncomingMessage } from 'node:http';
import { finished } from 'node:stream/promises';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import { matchOperation } from '../document/index.ts';
import type { ApiDocument } from '../document/model.ts';
import { mapValues } from '../document/schemas.ts';
import type { HeaderFields, Violation } from '../oracle/messages.ts';
import { credentialHeaders, requestViolations } from '../oracle/request.ts';
import { responseViolations } from '../oracle/response.ts';
import { SecretMask } from '../run/mask.ts';

/** A violation of the document as the oracle names it, or `no response`. */
type ProxyViolation = Pick<Violation, 'rule' | 'message'>;

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
    violations: readonly ProxyViolation[],
    found: Partial<Pick<ProxyRecord, 'status' | 'request_id' | 'body_not_checked'>> = {},
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
    const received = { method, path: target, headers, bodyBytes: sent.bytes, body: wholeOf(sent) };
    const request_id = headers['x-request-id']?.[0] ?? null;
    tell('request', requestViolations(received, document), { request_id });
  });

  return {
    /** Observes a response; resolves once it has been reported or was aborted. */
    async response(incoming: IncomingMessage): Promise<void> {
      const copy = copyOf(incoming);
      const isAborted = await finished(incoming).catch(() => true);
      if (isAborted) return;
      const status = Number(incoming.statusCode);
      const headers = mapValues(incoming.headers, String);
      const decoded = await decode(copy, headers['content-encoding']).catch((error: unknown) => error as Error);
      const unchecked = decoded instanceof Error ? decoded.message : null;
      const received = { status, headers, text: decoded instanceof Error ? '' : decoded };
      const violations = responseViolations(method, path, received, { allowExtraFields: false, document });
      // Without the body, only its own violations are unknown.
      const known = unchecked === null ? violations : violations.filter(({ rule }) => rule !== 'body');
      tell('response', known, { status, request_id: headers['x-request-id'] ?? null, body_not_checked: unchecked });
    },

    /** Records that the request got no response, or an incomplete one. */
    noResponse(message: string): void {
      tell('response', [{ rule: 'no response', message }]);
    },
  };
}

/** A copy of the bytes that pass, as long as they do not exceed the maximum. */
function copyOf(message: IncomingMessage) {
  const copy = { chunks: [] as Buffer[], bytes: 0 };
  message.on('data', (chunk: Buffer) => {
    copy.bytes += chunk.length;
    if (copy.bytes <= largestBodyBytes) copy.chunks.push(chunk);
    else copy.chunks = [];
  });
  return copy;
}

type Copy = ReturnType<typeof copyOf>;

function wholeOf({ chunks, bytes }: Copy): Buffer | undefined {
  return bytes <= largestBodyBytes ? Buffer.concat(chunks) : undefined;
}

const decoders: Record<string, typeof gunzip | undefined> = {
  gzip: gunzip,
  'x-gzip': gunzip,
  deflate: inflate,
  br: brotliDecompress,
};

/** @throws {Error} with the reason if the content codings cannot be decoded */
async function decode(copy: Copy, contentEncoding = 'identity'): Promise<string> {
  let bytes = wholeOf(copy);
  if (!bytes) throw new Error(`it is larger than ${largestBodyBytes} bytes`);
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
