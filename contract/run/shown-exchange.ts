/** How a report shows an exchange: the line that repeats it, the request and the response, with secrets masked. */
import { STATUS_CODES } from 'node:http';
import { gzipSync } from 'node:zlib';
import { pathOf } from './http-client.ts';
import { isUtf8 } from 'node:buffer';
import { maskOf } from './mask.ts';
import type { Credentials, Exchange } from './model.ts';
import { wireFields } from './wire.ts';

type Header = readonly [name: string, value: string];

/** What a report shows of a text. */
const longestText = 2_000;

/** A longer body or header would bury the rest of the line: it is packed, as most of those repeat themselves. */
const longestInline = 1_000;

/** A request, where it was sent, and its response if one came. */
type Sent = Pick<Exchange, 'request' | 'url'> & { readonly response?: Exchange['response'] | undefined };

export function shownExchange(exchange: Sent, credentials: Credentials) {
  const { request, url, response } = exchange;
  const mask = maskOf(credentials);
  const line = ([name, value]: Header) => `${name}: ${shortened(mask.maskHeader(value))}`;
  const message = (first: string, headers: readonly Header[], body: string) =>
    [first, ...headers.map(line), ...(body === '' ? [] : ['', shortened(mask.mask(body))])].join('\n');
  const sent = [...(request.headers ?? []), ...(credentials.connection?.headers ?? [])];
  const came = Object.entries(response?.headers ?? {}).flatMap(([name, value = '']) => [[name, value] as const]);
  return {
    curl: curlOf(exchange, credentials),
    request: message(
      `${request.method.toUpperCase()} ${shortened(mask.mask(pathOf(url)))}`,
      [['host', new URL(url).host], ...sent],
      bodyText(request.body),
    ),
    ...(response && {
      response: message(`${response.status} ${STATUS_CODES[response.status] ?? ''}`.trim(), came, response.text),
    }),
  };
}

/** Bytes that are not text are shown as such. */
function bodyText(body: string | Buffer = ''): string {
  const bytes = Buffer.from(body);
  return isUtf8(bytes) ? bytes.toString() : `${bytes.length} bytes: ${bytes.toString('hex')}`;
}

/** Shortened after it is masked, lest a secret that is cut in two goes unseen. */
function shortened(masked: string): string {
  return masked.length <= longestText ? masked : `${masked.slice(0, longestText)}… (${masked.length} characters)`;
}

/** A line of curl that sends what was sent, once the credentials, masked as `$OWNER_KEY` and so on, are set. */
export function curlOf({ request, url }: Sent, credentials: Credentials): string {
  const { method, headers = [], body, requestLine, wire = {} } = request;
  const { connection } = credentials;
  const mask = maskOf(credentials);
  const headerOption = ([name, value]: Header) => {
    const masked = value === '' ? `${name};` : `${name}: ${mask.maskHeader(value)}`;
    const isLong = value.length > longestInline && !mask.placeholder.test(masked);
    return `--header ${isLong ? packed(Buffer.from(`${name}: ${value}\n`)) : quote(masked)}`;
  };
  const quote = (masked: string) => quoted(masked.split(mask.placeholder));
  const bodyOption = (content: Buffer) => {
    const masked = mask.mask(content.toString());
    const isInline = content.length <= longestInline && isUtf8(content) && !content.includes(0);
    // The shell does not put a secret into what is packed.
    return `--data-binary ${isInline || mask.placeholder.test(masked) ? quote(masked) : packed(content)}`;
  };
  const all = [...headers, ...(connection?.headers ?? []), ...wireFields(wire)];
  const isOld = wire.version === '1.0' || requestLine?.endsWith('HTTP/1.0') === true;
  if (requestLine !== undefined && !isOld) {
    const { protocol, host, hostname, port } = new URL(url);
    const fields = all.map(([name, value]) => `${name}: ${mask.maskHeader(value)}`);
    const lines = [requestLine, `Host: ${host}`, ...fields, ''];
    // As HTTP, curl would send a valid first line.
    const send =
      protocol === 'https:'
        ? `openssl s_client -quiet -connect ${hostname}:${port || 443}`
        : `curl --max-time 5 telnet://${hostname}:${port || 80}`;
    return `printf '%s\\r\\n' ${lines.map(quote).join(' ')} | ${send}`;
  }
  // Without this, curl would add the media type of form data.
  const isUntyped = body !== undefined && !all.some(([name]) => name.toLowerCase() === 'content-type');
  const parts = [
    'curl --include --path-as-is',
    // With --request HEAD, curl would wait for a body.
    method.toUpperCase() === 'HEAD' && body === undefined ? '--head' : `--request ${method.toUpperCase()}`,
    ...(isOld ? ['--http1.0'] : []),
    ...(connection?.insecure === true ? ['--insecure'] : []),
    ...(connection?.ca ? [`--cacert ${quote(mask.mask(connection.ca.file))}`] : []),
    ...all.map(headerOption),
    ...(isUntyped ? ['--header "Content-Type:"'] : []),
    ...(body === undefined ? [] : [bodyOption(Buffer.from(body))]),
    quote(mask.mask(url)),
  ];
  return parts.join(' ');
}

/** Content that the shell unpacks for curl. */
function packed(content: Buffer): string {
  return `@<(base64 --decode <<< ${gzipSync(content).toString('base64')} | gunzip)`;
}

/**
 * Quotes for a shell: double quotes, in which the names of secrets are variables, or bash's own if there are controls.
 * @param parts of a masked text: what is to be quoted, and what stands for a secret, in turn
 */
function quoted(parts: readonly string[]): string {
  const written = (ofText: (text: string) => string, ofSecret = (text: string) => text) =>
    parts.map((part, index) => (index % 2 === 0 ? ofText(part) : ofSecret(part))).join('');
  if (!parts.some((part) => /\p{Cc}/u.test(part)))
    return `"${written((text) => text.replace(/["\\`$]/g, '\\$&').replaceAll('!', `"'!'"`))}"`;
  const inner = written(
    (text) => text.replace(/['\\]/g, '\\$&').replace(/\p{Cc}/gu, escapeOf),
    (text) => `'"${text}"$'`,
  );
  return `$'${inner}'`;
}

const shortEscapes: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function escapeOf(control: string): string {
  return shortEscapes[control] ?? Buffer.from(control).toString('hex').replace(/../g, '\\x$&');
}
