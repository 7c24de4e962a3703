/**
 * Request headers that change nothing where the document gives them no meaning: those of RFC 9110 and of the IANA registry, and
 * those that clients, browsers, gateways and frameworks add. One list a group, because a request carries one of each group.
 */
import type { Operation } from '../document/model.ts';

/** Names of headers that take the same values, and the values. A value of two lines stands for two headers of the name. */
type Row = readonly [names: string, ...values: readonly string[]];

/** A group of headers, and who promises that they change nothing. */
export interface HeaderGroup {
  readonly name: string;
  /** `decision` where HTTP would let a server heed them. */
  readonly source: 'interface' | 'decision';
  /** Those that no server of any API has a reason to heed. */
  readonly anyApi?: readonly Row[];
  /** Those by which another API may choose a translation, say, but that are no reason to refuse a request, or to accept it. */
  readonly anyStatus?: readonly Row[];
  /** Those that another API may give a meaning without documenting it. */
  readonly ownApi?: readonly Row[];
}

const methods = ['GET', 'HEAD', 'PUT', 'POST', 'PATCH', 'DELETE', 'OPTIONS', 'get', 'delete'];
const anotherOrganisation = 'de300000-0000-4000-8000-000000000003';
const epoch = 'Thu, 01 Jan 1970 00:00:00 GMT';

export const headerGroups: readonly HeaderGroup[] = [
  {
    name: 'language and encoding',
    source: 'interface',
    anyStatus: [
      ['Accept-Language', 'de', 'en-US,en;q=0.9', 'fr-CA, en;q=0.5', '*'],
      ['Accept-Language', 'es-ES', 'pt-BR, pt;q=0.8', 'ja', 'zh-Hant-TW, zh;q=0.5', 'it, nl, pl, sv, ru, ko, tr, ar'],
      ['Accept-Encoding', 'gzip, deflate, br', 'deflate', 'br', 'identity', 'gzip'],
    ],
    ownApi: [
      ['Accept-Language', 'zz-ZZ;q=0', 'x'.repeat(100)],
      ['Accept-Encoding', 'gzip;q=0', '*;q=0.1', 'identity;q=0, *;q=0', 'nonsense'],
      ['Accept-Charset', 'utf-8', 'utf-16', 'iso-8859-1;q=0.5'],
      ['Accept-Datetime', 'Thu, 31 May 2007 20:35:00 GMT'],
      ['Content-Language', 'de', 'fr'],
      ['Content-Location', '/other'],
      ['Want-Content-Digest Want-Repr-Digest', 'sha-256=1'],
    ],
  },
  {
    name: 'media types that are wanted',
    source: 'decision',
    anyStatus: [['Accept', '*/*', 'application/json, text/plain, */*']],
    ownApi: [
      ['Accept', 'application/json', 'application/json; charset=utf-8'],
      ['Accept', 'application/*', 'application/json;q=0.999, */*;q=0.1', 'application/json\ntext/html'],
      ['Accept', 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'application/xml;q=0.9'],
      ['Accept', 'text/plain', 'application/xml', 'image/avif,image/webp,*/*;q=0.8', 'text/event-stream'],
      ['Accept', 'application/problem+json', 'application/json;q=0', 'application/vnd.api+json; version=2', ''],
      ['Accept-Patch', 'application/json'],
      ['Prefer', 'return=minimal', 'wait=10', 'respond-async', 'handling=strict', 'code=500'],
      ['Accept-Signature', 'sig1=("@method");created'],
      ['Accept-CH', 'Sec-CH-UA'],
    ],
  },
  {
    name: 'preconditions and ranges',
    source: 'decision',
    ownApi: [
      ['If-Match If-None-Match', '*', '"etag"', 'W/"etag"', '"0", "1"'],
      ['If-Modified-Since', 'Fri, 31 Dec 2049 23:59:59 GMT', 'never', '0'],
      ['If-Unmodified-Since', epoch, 'never'],
      ['If-Range If-Schedule-Tag-Match', '"etag"'],
      ['Range', 'bytes=0-0', 'bytes=-1', 'bytes=0-', 'bytes=0-4,6-8', 'items=0-1', 'bytes=9-1'],
      ['Content-Range', 'bytes 0-0/1'],
    ],
  },
  {
    name: 'addresses of gateways',
    source: 'interface',
    anyApi: [
      ['X-Forwarded-For', '127.0.0.1', '::1, 10.0.0.1', 'unknown, 10.0.0.1', '203.0.113.7', '192.168.1.1'],
      ['X-Forwarded-For', 'nonsense', '203.0.113.7\n10.0.0.1', '[2001:db8::1]:443, 203.0.113.7:51000'],
      ['X-Forwarded-For', Array.from({ length: 12 }, (_none, hop) => `10.0.0.${hop}`).join(', ')],
      ['X-Real-IP X-Client-IP Client-IP True-Client-IP X-Cluster-Client-IP CF-Connecting-IP', '127.0.0.1'],
      ['Fastly-Client-IP X-Azure-ClientIP X-Envoy-External-Address X-Custom-IP-Authorization', '127.0.0.1'],
      ['X-Originating-IP X-Remote-Addr X-ProxyUser-Ip', '127.0.0.1'],
      ['Forwarded', 'for=127.0.0.1;host=localhost;proto=https', 'for="[::1]";by=unknown;proto=http'],
    ],
  },
  {
    name: 'hosts and addresses of gateways',
    source: 'interface',
    ownApi: [
      ['X-Forwarded-Host', 'localhost', 'attacker.example', 'api.ca.document-analysis.example'],
      ['X-Forwarded-Proto X-Forwarded-Scheme X-Url-Scheme', 'https', 'http', 'ftp'],
      ['X-Forwarded-Port', '443', '0'],
      ['X-Forwarded-Prefix', '/internal', '/v1'],
      ['X-Forwarded-Server X-Original-Host X-Host', 'attacker.example'],
      ['X-Forwarded-Uri X-Original-URL X-Rewrite-URL X-Forwarded-Path X-Envoy-Original-Path', '/', '/no-such-path'],
      ['X-Forwarded-Method X-Original-Method', 'DELETE', 'PUT'],
      ['X-Forwarded-Ssl Front-End-Https', 'on'],
      ['Via', '1.1 gateway', '1.0 fred, 1.1 p.example.net'],
      ['CDN-Loop', 'cdn.example'],
      ['Max-Forwards', '0', '1'],
      ['X-Envoy-Expected-Rq-Timeout-Ms', '1'],
      ['CF-IPCountry CloudFront-Viewer-Country X-Country-Code X-AppEngine-Country', 'CA', 'GB'],
    ],
  },
  {
    name: 'claims of identity',
    source: 'interface',
    anyApi: [
      ['X-User X-User-Role', 'owner', 'admin'],
      ['X-User-Id', '1'],
      ['X-Role X-Remote-User Remote-User X-Forwarded-User X-Auth-Request-User X-WEBAUTH-USER', 'owner'],
      ['X-Authenticated-Userid X-Consumer-Username X-On-Behalf-Of X-Impersonate-User', 'owner'],
      ['X-Roles X-Forwarded-Groups', 'owner,admin'],
      ['X-Permissions X-Scope', 'organisation_settings:read organisation_settings:write'],
      ['X-SSL-Client-Verify', 'SUCCESS'],
      ['X-Forwarded-Client-Cert', 'Hash=0;Subject="CN=owner"'],
    ],
    ownApi: [
      ['X-Organisation-Id X-Organization-Id X-Org-Id X-Tenant-Id X-Account-Id', anotherOrganisation],
      ['Proxy-Authorization', 'Basic b3duZXI6'],
      ['From', 'owner@document-analysis.example'],
    ],
  },
  {
    name: 'switches of frameworks',
    source: 'interface',
    anyApi: [
      ['X-Admin X-Debug', 'true', '1'],
      ['X-Internal X-Internal-Request X-Skip-Auth X-Bypass X-No-Auth X-RateLimit-Bypass', 'true'],
      ['X-Feature-Flags X-Enable-Feature', 'verification'],
      ['X-Features', 'verification=on'],
      ['X-Unknown', '', 'x'.repeat(1000), 'caf\u00e9'],
    ],
    ownApi: [
      ['X-Dry-Run X-Validate-Only X-Sandbox X-Test X-Preview', 'true'],
      ['X-Environment X-Stage', 'test', 'production'],
      ['X-Region', 'ca', 'uk'],
      ['X-Timezone Time-Zone', 'Asia/Tokyo'],
      ['Sec-WebSocket-Key', 'dGhlIHNhbXBsZSBub25jZQ=='],
      ['X-Mock-Response-Code', '500'],
    ],
  },
  {
    name: 'method overrides',
    source: 'interface',
    ownApi: [['X-HTTP-Method-Override X-HTTP-Method X-Method-Override', ...methods]],
  },
  {
    name: 'browsers',
    source: 'interface',
    anyApi: [
      ['Referer', 'https://localhost/admin', 'about:blank'],
      ['Access-Control-Request-Method', 'PUT'],
      ['Access-Control-Request-Headers', 'x-api-key'],
      ['Sec-Fetch-Site', 'cross-site', 'same-origin'],
      ['Sec-Fetch-Mode', 'cors', 'navigate'],
      ['Sec-CH-UA-Mobile', '?1'],
      ['Sec-Purpose Purpose', 'prefetch'],
      ['Sec-GPC DNT Upgrade-Insecure-Requests', '1', '0'],
      ['Save-Data', 'on'],
      ['X-Requested-With', 'XMLHttpRequest'],
      ['Service-Worker', 'script'],
      ['Priority', 'u=0, i'],
      ['Device-Memory', '8'],
    ],
    anyStatus: [
      ['User-Agent', 'python-requests/2.32.3', 'Go-http-client/1.1', 'okhttp/4.12.0', 'axios/1.7.9 node Java/21'],
      ['User-Agent', 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) Mobile/15E148 Safari/604.1'],
      ['User-Agent', 'curl/8', 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/130.0 Safari/537.36'],
    ],
    ownApi: [
      ['Origin', 'null', 'https://localhost', 'http://localhost:3000', 'https://attacker.example'],
      ['Origin', 'https://api.uk.document-analysis.example', 'https://not-document-analysis.example'],
      ['User-Agent', '', 'kube-probe/1.30', 'ELB-HealthChecker/2.0', 'Googlebot/2.1', "'; DROP TABLE x; --"],
      ['User-Agent', 'x'.repeat(600)],
      ['X-CSRF-Token', 'x'],
      ['Early-Data', '1'],
    ],
  },
  {
    name: 'cookies',
    source: 'interface',
    ownApi: [
      ['Cookie', 'role=owner; admin=true', 'a=1; lang=de', ';;=', '__proto__=1', 'a=1\nrole=owner', 'x'.repeat(4200)],
    ],
  },
  {
    name: 'caches',
    source: 'interface',
    anyApi: [
      ['Pragma', 'no-cache'],
      ['Expires', '0'],
      ['Surrogate-Capability', 'cdn="Surrogate/1.0"'],
      ['X-Cache-Bypass', '1'],
      ['Warning', '110 - "x"'],
      ['Last-Modified', epoch],
      ['ETag', '"x"'],
      ['Age', '100'],
    ],
    anyStatus: [['Cache-Control', 'no-cache', 'no-store', 'max-age=0', 'max-stale', 'no-transform']],
    ownApi: [
      ['Cache-Control', 'only-if-cached'],
      ['Date', epoch],
    ],
  },
  {
    name: 'traces',
    source: 'interface',
    anyApi: [
      ['traceparent', '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', '00-0-0-00'],
      [
        'traceparent',
        `00-${'0'.repeat(32)}-${'0'.repeat(16)}-00`,
        '00-0AF7651916CD43DD8448EB211C80319C-B7AD6B7169203331-FF',
      ],
      ['traceparent', 'cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-what-the-future-adds'],
      ['tracestate', 'rojo=00f067aa0ba902b7'],
      ['baggage', 'userId=alice,isAdmin=true'],
      ['b3', '0', '80f198ee56343ba864fe8b2a57d3eff7-e457b5a2e4d86bd1-1'],
      ['X-B3-Sampled X-Datadog-Trace-Id X-Trace-Id', '1'],
      ['X-Amzn-Trace-Id', 'Root=1-67891233-abcdef012345678912345678'],
      ['X-Cloud-Trace-Context', '105445aa7843bc8bf206b12000100000/1;o=1'],
      ['X-Request-Start', 't=0'],
      ['sentry-trace', '0'],
    ],
    anyStatus: [['X-Request-Id X-Correlation-Id', '6f1c2a52-5a7e-4d0b-9c38-1f4e8a7b2d10']],
    ownApi: [
      ['X-Correlation-Id Request-Id', '1'],
      ['X-Request-Id', '-.~_', '20260302101500', '6F1C2A52-5A7E-4D0B-9C38-1F4E8A7B2D10', 'Z'.repeat(128)],
      ['X-Request-Id', '1234567890123456789', '007', '1e3', 'null', '0x1F', 'TRUE', '7', '_'],
      ['X-Request-Id', 'two words', 'YQ+/:=', 'x'.repeat(129), 'one\nother'],
    ],
  },
  {
    name: 'versions and repetition',
    source: 'interface',
    ownApi: [
      ['Accept-Version X-API-Version', '99', '2'],
      ['API-Version', '2020-01-01'],
      ['X-Version X-Timeout Deadline', '0'],
      ['X-Client-Version', '0.0.0'],
      ['Idempotency-Key X-Idempotency-Key', '"8e03978e"', 'x'],
      ['X-Retry-Count', '1', '99'],
      ['grpc-timeout', '1n'],
      ['Content-Digest Content-MD5 Digest', 'sha-256=:AAAA:'],
      ['Signature', 'sig1=:AAAA:'],
      ['Content-Disposition', 'attachment; filename="x"'],
      ['MIME-Version', '1.0'],
      ['Keep-Alive', 'timeout=1, max=1'],
      ['Upgrade', 'websocket', 'TLS/1.0'],
      ['Proxy-Connection', 'keep-alive'],
      ['TE', 'trailers', 'trailers, deflate;q=0.5'],
      ['Alt-Used', 'localhost'],
    ],
  },
];

/** Statuses by which an operation tells that it heeds a header. */
const telling: readonly [headers: RegExp, status: string][] = [
  [/^If-(None-Match|Modified-Since)$/i, '304'],
  [/^If-(Match|Unmodified-Since)$/i, '412'],
  [/^(Range|If-Range)$/i, '206'],
];

/** Whether the document gives a header a meaning: as a parameter, or by a status for conditional or partial responses. */
export function isHeeded(operation: Operation | undefined, header: string): boolean {
  if (!operation) return false;
  const isNamed = ({ in: place, name }: Operation['parameters'][number]) =>
    place === 'header' && name.toLowerCase() === header.toLowerCase();
  return (
    operation.parameters.some(isNamed) ||
    telling.some(([headers, status]) => headers.test(header) && operation.responses[status] !== undefined)
  );
}
