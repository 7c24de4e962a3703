import { createHash } from 'node:crypto';
import { wireFields } from './wire.ts';
import type { Piece } from './mask.ts';
import { maskOf } from './mask.ts';
import type { AttachedFile, Credentials, Exchange } from './model.ts';

/** A longer body or header would bury the rest of the line: it is attached as a file. */
const longestInline = 1_000;

/** A request to repeat, and the files that its line names. */
export interface RepeatedRequest {
  /** Can be pasted into a shell once the credentials, masked as `$OWNER_KEY` and so on, are set. */
  readonly curl: string;
  readonly files: readonly AttachedFile[];
}

/**
 * The request as a line of curl that sends what was sent.
 * @param longest how many characters a body or header may have in the line
 */
export function curlOf(
  { request, url }: Exchange,
  credentials: Credentials,
  longest: number = longestInline,
): RepeatedRequest {
  const { method, headers = [], body, requestLine, wire = {} } = request;
  const { connection } = credentials;
  const mask = maskOf(credentials);
  const files: AttachedFile[] = [];
  const attached = (kind: string, content: Buffer) => {
    const name = `contract-${kind}-${createHash('sha256').update(content).digest('hex').slice(0, 12)}`;
    files.push({ name, base64: content.toString('base64') });
    return `@${name}`;
  };
  const headerOf = (name: string, value: string): string => {
    const pieces = value === '' ? [plain(`${name};`)] : [plain(`${name}: `), ...mask.headerPieces(value)];
    const isLong = value.length > longest && !pieces.some(({ secret }) => secret);
    return isLong ? attached('header', Buffer.from(`${name}: ${value}\n`)) : quote(pieces);
  };
  const dataOf = (content: string | Buffer): string => {
    const bytes = Buffer.from(content);
    const text = bytes.toString();
    const pieces = mask.pieces(text);
    // The name of a secret would stand in a file as it is.
    if (pieces.some(({ secret }) => secret)) return quote(pieces);
    const isInline = bytes.length <= longest && Buffer.from(text).equals(bytes) && !text.includes('\0');
    return isInline ? quote(pieces) : attached('body', bytes);
  };
  const all = [...headers, ...(connection?.headers ?? []), ...wireFields(wire)];
  if (requestLine !== undefined && !requestLine.endsWith('HTTP/1.0')) {
    const { protocol, host, hostname, port } = new URL(url);
    const lines = [
      [plain(requestLine)],
      [plain(`Host: ${host}`)],
      ...all.map(([name, value]) => [plain(`${name}: `), ...mask.headerPieces(value)]),
      [plain('')],
    ];
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
    ...(requestLine?.endsWith('HTTP/1.0') === true || wire.version === '1.0' ? ['--http1.0'] : []),
    ...(connection?.insecure === true ? ['--insecure'] : []),
    ...(connection?.ca ? [`--cacert ${quote(mask.pieces(connection.ca.file))}`] : []),
    ...all.map(([name, value]) => `--header ${headerOf(name, value)}`),
    ...(isUntyped ? ['--header "Content-Type:"'] : []),
    ...(body === undefined ? [] : [`--data-binary ${dataOf(body)}`]),
    quote(mask.pieces(url)),
  ];
  return { curl: parts.join(' '), files };
}

/** The text with every secret of the credentials replaced by its name. */
export function maskSecrets(text: string, credentials: Credentials): string {
  return maskOf(credentials).mask(text);
}

function plain(text: string): Piece {
  return { text, secret: false };
}

/** Quotes for a shell: double quotes, in which the names of secrets are variables, or bash's own if there are controls. */
function quote(pieces: readonly Piece[]): string {
  const controls = pieces.some(({ text, secret }) => !secret && /\p{Cc}/u.test(text));
  if (!controls) {
    const escaped = textOf(pieces.map(withText((text) => text.replace(/["\\`$]/g, '\\$&').replaceAll('!', `"'!'"`))));
    return `"${escaped}"`;
  }
  const escaped = withText((text) => text.replace(/['\\]/g, '\\$&').replace(/\p{Cc}/gu, escapeOf));
  return `$'${textOf(pieces.map((piece) => (piece.secret ? { ...piece, text: `'"${piece.text}"$'` } : escaped(piece))))}'`;
}

function withText(change: (text: string) => string): (piece: Piece) => Piece {
  return (piece) => (piece.secret ? piece : { ...piece, text: change(piece.text) });
}

function escapeOf(control: string): string {
  const short: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };
  return short[control] ?? Buffer.from(control).toString('hex').replace(/../g, '\\x$&');
}

function textOf(pieces: readonly Piece[]): string {
  return pieces.map(({ text }) => text).join('');
}
