import { STATUS_CODES } from 'node:http';
import { curlOf } from './curl.ts';
import { maskOf } from './mask.ts';
import type { Credentials, Exchange, Failure } from './model.ts';
import type { Piece } from './mask.ts';

const longestText = 2_000;

/** What a report shows of an exchange: the line that repeats it, the request and the response, with secrets masked. */
export function shownExchange(
  exchange: Exchange,
  credentials: Credentials,
): Pick<Failure, 'curl' | 'files' | 'request' | 'response'> {
  const { request, url, response } = exchange;
  const mask = maskOf(credentials);
  const { curl, files } = curlOf(exchange, credentials);
  const sent = [...(request.headers ?? []), ...(credentials.connection?.headers ?? [])];
  const line = ([name, value]: readonly [string, string]) =>
    `${name}: ${shortened([{ text: '', secret: false }, ...mask.headerPieces(value)])}`;
  const message = (first: string, headers: readonly (readonly [string, string])[], body: string) =>
    [first, ...headers.map(line), ...(body === '' ? [] : ['', shortened(mask.pieces(body))])].join('\n');
  const { pathname } = new URL(url);
  const target = url.slice(url.indexOf(new URL(url).host) + new URL(url).host.length) || pathname;
  return {
    curl,
    ...(files.length > 0 && { files }),
    request: message(
      `${request.method.toUpperCase()} ${shortened(mask.pieces(target))}`,
      [['host', new URL(url).host], ...sent],
      textOf(request.body),
    ),
    ...(response && {
      response: message(
        `${response.status} ${STATUS_CODES[response.status] ?? ''}`.trim(),
        Object.entries(response.headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
        response.text,
      ),
    }),
  };
}

/** Bytes that are not text are shown as such. */
function textOf(body: string | Buffer | undefined): string {
  if (body === undefined || typeof body === 'string') return body ?? '';
  return Buffer.from(body.toString()).equals(body) ? body.toString() : `${body.length} bytes: ${body.toString('hex')}`;
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
