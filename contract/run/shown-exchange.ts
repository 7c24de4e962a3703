/** How a report shows an exchange: the line that repeats it, the request and the response, with secrets masked. */
import { createHash } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import { pathOf } from './http-client.ts';
import { maskOf, type Piece, type SecretMask } from './mask.ts';
import type { AttachedFile, Credentials, Exchange, Failure } from './model.ts';
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
  const line = ([name, value]: Header) => `${name}: ${shortened([plain(''), ...mask.headerPieces(value)])}`;
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
  return Buffer.from(bytes.toString()).equals(bytes)
    ? bytes.toString()
    : `${bytes.length} bytes: ${bytes.toString('hex')}`;
}

/** Shortened after it is masked, lest a secret that is cut in two goes unseen. */
function shortened(pieces: readonly Piece[]): string {
  const text = textOf(pieces);
  if (text.length <= longestText) return text;
  let [kept, left] = ['', longestText];
  for (const piece of pieces) {
    if (left <= 0) break;
    kept += piece.secret ? piece.text : piece.text.slice(0, left);
    left -= piece.text.length;
  }
  return `${kept}… (${text.length} characters)`;
}

/** The parts of a line for a shell, and the files that it names. */
class ShellLine {
  readonly files: AttachedFile[] = [];
  readonly #mask: SecretMask;
  readonly #longest: number;

  constructor(mask: SecretMask, longest: number) {
    this.#mask = mask;
    this.#longest = longest;
  }

  text(text: string): string {
    return quote(this.#mask.pieces(text));
  }

  header([name, value]: Header): string {
    const pieces = value === '' ? [plain(`${name};`)] : [plain(`${name}: `), ...this.#mask.headerPieces(value)];
    const isLong = value.length > this.#longest && !hasSecret(pieces);
    return isLong ? this.#attached('header', Buffer.from(`${name}: ${value}\n`)) : quote(pieces);
  }

  data(content: string | Buffer): string {
    const bytes = Buffer.from(content);
    const text = bytes.toString();
    const pieces = this.#mask.pieces(text);
    const isInline = bytes.length <= this.#longest && Buffer.from(text).equals(bytes) && !text.includes('\0');
    // The name of a secret would stand in a file as it is.
    return isInline || hasSecret(pieces) ? quote(pieces) : this.#attached('body', bytes);
  }

  #attached(kind: string, content: Buffer): string {
    const name = `contract-${kind}-${createHash('sha256').update(content).digest('hex').slice(0, 12)}`;
    this.files.push({ name, base64: content.toString('base64') });
    return `@${name}`;
  }
}

/**
 * A line of curl that sends what was sent, once the credentials, masked as `$OWNER_KEY` and so on, are set.
 * @param longest how many characters a body or header may have in the line
 */
export function curlOf(
  { request, url }: Exchange,
  credentials: Credentials,
  longest = longestInline,
): { readonly curl: string; readonly files: readonly AttachedFile[] } {
  const { method, headers = [], body, requestLine, wire = {} } = request;
  const { connection } = credentials;
  const mask = maskOf(credentials);
  const line = new ShellLine(mask, longest);
  const { files } = line;
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
    ...(connection?.ca ? [`--cacert ${line.text(connection.ca.file)}`] : []),
    ...all.map((header) => `--header ${line.header(header)}`),
    ...(isUntyped ? ['--header "Content-Type:"'] : []),
    ...(body === undefined ? [] : [`--data-binary ${line.data(body)}`]),
    line.text(url),
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

function escapeOf(control: string): string {
  const short: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };
  return short[control] ?? Buffer.from(control).toString('hex').replace(/../g, '\\x$&');
}

function textOf(pieces: readonly Piece[]): string {
  return pieces.map(({ text }) => text).join('');
}
