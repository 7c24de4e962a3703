/** How a report shows an exchange: the line that repeats it, the request and the response, with secrets masked. */
import { createHash } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import { pathOf } from './http-client.ts';
import { isUtf8 } from 'node:buffer';
import { maskOf, type Piece } from './mask.ts';
import type { Credentials, Exchange, Failure } from './model.ts';
import { wireFields } from './wire.ts';

type Header = readonly [name: string, value: string];

/** What a report shows of a text. */
const longestText = 2_000;

/** A longer body or header would bury the rest of the line: it is attached as a file. */
const longestInline = 1_000;

/** What a report shows of an exchange. */
export function shownExchange(
  exchange: Exchange,
  credentials: Credentials,
): Pick<Failure, 'curl' | 'files' | 'request' | 'response'> {
  const { request, url, response } = exchange;
  const mask = maskOf(credentials);
  const { curl, files } = curlOf(exchange, credentials);
  const line = ([name, value]: Header) => `${name}: ${shortened(mask.headerPieces(value))}`;
  const message = (first: string, headers: readonly Header[], body: string) =>
    [first, ...headers.map(line), ...(body === '' ? [] : ['', shortened(mask.pieces(body))])].join('\n');
  const sent = [...(request.headers ?? []), ...(credentials.connection?.headers ?? [])];
  const came = Object.entries(response?.headers ?? {}).flatMap(([name, value = '']) => [[name, value] as const]);
  return {
    curl,
    ...(files.length > 0 && { files }),
    request: message(
      `${request.method.toUpperCase()} ${shortened(mask.pieces(pathOf(url)))}`,
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
function shortened(pieces: readonly Piece[]): string {
  const text = pieces.map((piece) => piece.text).join('');
  if (text.length <= longestText) return text;
  let [kept, left] = ['', longestText];
  for (const piece of pieces) {
    if (left <= 0) break;
    kept += piece.secret ? piece.text : piece.text.slice(0, left);
    left -= piece.text.length;
  }
  return `${kept}… (${text.length} characters)`;
}

/**
 * A line of curl that sends what was sent, once the credentials, masked as `$OWNER_KEY` and so on, are set.
 * @param longest how many characters a body or header may have in the line
 */
export function curlOf(
  { request, url }: Exchange,
  credentials: Credentials,
  longest = longestInline,
): Required<Pick<Failure, 'curl' | 'files'>> {
  const { method, headers = [], body, requestLine, wire = {} } = request;
  const { connection } = credentials;
  const mask = maskOf(credentials);
  const files: { name: string; base64: string }[] = [];
  const attached = (kind: string, content: Buffer) => {
    const name = `contract-${kind}-${createHash('sha256').update(content).digest('hex').slice(0, 12)}`;
    files.push({ name, base64: content.toString('base64') });
    return `@${name}`;
  };
  const headerOption = ([name, value]: Header) => {
    const pieces = value === '' ? [plain(`${name};`)] : [plain(`${name}: `), ...mask.headerPieces(value)];
    const isLong = value.length > longest && !hasSecret(pieces);
    return `--header ${isLong ? attached('header', Buffer.from(`${name}: ${value}\n`)) : quote(pieces)}`;
  };
  const bodyOption = (content: Buffer) => {
    const pieces = mask.pieces(content.toString());
    const isInline = content.length <= longest && isUtf8(content) && !content.includes(0);
    // The name of a secret would stand in a file as it is.
    return `--data-binary ${isInline || hasSecret(pieces) ? quote(pieces) : attached('body', content)}`;
  };
  const all = [...headers, ...(connection?.headers ?? []), ...wireFields(wire)];
  const isOld = wire.version === '1.0' || requestLine?.endsWith('HTTP/1.0') === true;
  if (requestLine !== undefined && !isOld) {
    const { protocol, host, hostname, port } = new URL(url);
    const masked = all.map(([name, value]) => [plain(`${name}: `), ...mask.headerPieces(value)]);
    const lines = [[plain(requestLine)], [plain(`Host: ${host}`)], ...masked, [plain('')]];
    // As HTTP, curl would send a valid first line.
    const send =
      protocol === 'https:'
        ? `openssl s_client -quiet -connect ${hostname}:${port || 443}`
        : `curl --max-time 5 telnet://${hostname}:${port || 80}`;
    return { curl: `printf '%s\\r\\n' ${lines.map(quote).join(' ')} | ${send}`, files };
  }
  // Without this, curl would add the media type of form data.
  const isUntyped = body !== undefined && !all.some(([name]) => name.toLowerCase() === 'content-type');
  const parts = [
    'curl --include --path-as-is',
    // With --request HEAD, curl would wait for a body.
    method.toUpperCase() === 'HEAD' && body === undefined ? '--head' : `--request ${method.toUpperCase()}`,
    ...(isOld ? ['--http1.0'] : []),
    ...(connection?.insecure === true ? ['--insecure'] : []),
    ...(connection?.ca ? [`--cacert ${quote(mask.pieces(connection.ca.file))}`] : []),
    ...all.map(headerOption),
    ...(isUntyped ? ['--header "Content-Type:"'] : []),
    ...(body === undefined ? [] : [bodyOption(Buffer.from(body))]),
    quote(mask.pieces(url)),
  ];
  return { curl: parts.join(' '), files };
}

function plain(text: string): Piece {
  return { text, secret: false };
}

function hasSecret(pieces: readonly Piece[]): boolean {
  return pieces.some(({ secret }) => secret);
}

/** Quotes for a shell: double quotes, in which the names of secrets are variables, or bash's own if there are controls. */
function quote(pieces: readonly Piece[]): string {
  const escaped = (ofText: (text: string) => string, ofSecret = (text: string) => text) =>
    pieces.map(({ text, secret }) => (secret ? ofSecret(text) : ofText(text))).join('');
  if (!pieces.some(({ text, secret }) => !secret && /\p{Cc}/u.test(text)))
    return `"${escaped((text) => text.replace(/["\\`$]/g, '\\$&').replaceAll('!', `"'!'"`))}"`;
  const inner = escaped(
    (text) => text.replace(/['\\]/g, '\\$&').replace(/\p{Cc}/gu, escapeOf),
    (text) => `'"${text}"$'`,
  );
  return `$'${inner}'`;
}

const shortEscapes: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function escapeOf(control: string): string {
  return shortEscapes[control] ?? Buffer.from(control).toString('hex').replace(/../g, '\\x$&');
}
