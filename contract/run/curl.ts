import type { Piece } from './secret-mask.ts';
import { maskOf } from './mask.ts';
import type { HttpResponse, Credentials, Exchange } from './model.ts';

const longestText = 500;

/** The request as a line for a shell that can be pasted once the credentials, masked as `$OWNER_KEY` and so on, are set. */
export function curlOf({ request, url }: Exchange, credentials: Credentials): string {
  const { method, headers = [], body } = request;
  const { connection } = credentials;
  const mask = maskOf(credentials);
  const quoted = (text: string) => quote(shortened(mask.pieces(text)));
  const headerOf = (name: string, value: string): Piece[] =>
    value === ''
      ? [{ text: `${name};`, secret: false }]
      : [{ text: `${name}: `, secret: false }, ...mask.headerPieces(value)];
  return [
    'curl --include --path-as-is',
    `--request ${method.toUpperCase()}`,
    ...(connection?.insecure === true ? ['--insecure'] : []),
    ...(connection?.ca ? [`--cacert ${quoted(connection.ca.file)}`] : []),
    ...[...headers, ...(connection?.headers ?? [])].map(
      ([name, value]) => `--header ${quote(shortened(headerOf(name, value)))}`,
    ),
    ...(body === undefined ? [] : [`--data-binary ${quoteBody(body, quoted)}`]),
    quoted(url),
  ].join(' ');
}

/** The response in a line or two, with secrets masked. */
export function describeResponse({ status, text }: HttpResponse, credentials: Credentials): string {
  return `${status} ${textOf(shortened(maskOf(credentials).pieces(text.slice(0, longestText * 4)), text.length))}`;
}

/** A text in which every secret of the credentials stands by its name. */
export function maskSecrets(text: string, credentials: Credentials): string {
  return maskOf(credentials).mask(text);
}

function quoteBody(body: string | Buffer, quoted: (text: string) => string): string {
  const text = body.toString();
  if (typeof body === 'string' || Buffer.from(text).equals(body)) return quoted(text);
  return `$'${body.subarray(0, longestText).toString('hex').replace(/../g, '\\x$&')}'`;
}

/** Quotes for a shell: double quotes, in which the names of secrets are variables, or bash's own if there are controls. */
function quote(pieces: readonly Piece[]): string {
  const controls = pieces.some(({ text, secret }) => !secret && /\p{Cc}/u.test(text));
  if (!controls) return `"${textOf(pieces.map(withText((text) => text.replace(/["\\`$]/g, '\\$&'))))}"`;
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

/** Shortened after it is masked, lest a secret that is cut in two goes unseen. */
function shortened(pieces: readonly Piece[], length?: number): Piece[] {
  const kept: Piece[] = [];
  const whole = length ?? textOf(pieces).length;
  let left = longestText;
  for (const piece of pieces) {
    if (left <= 0) break;
    kept.push(piece.secret ? piece : { ...piece, text: piece.text.slice(0, left) });
    left -= piece.text.length;
  }
  if (whole > longestText) kept.push({ text: `… (${whole} characters)`, secret: false });
  return kept;
}

function textOf(pieces: readonly Piece[]): string {
  return pieces.map(({ text }) => text).join('');
}
