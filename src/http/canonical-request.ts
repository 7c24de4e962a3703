import type { RequestHandler } from 'express';
import { Refusal } from '../errors.js';

const absoluteForm = /^https?:\/\/[^/?#]*/i;

/**
 * Brings the many spellings of one request into the one that later steps know: an absolute-form target becomes a path
 * (RFC 9112, section 3.2.2), HEAD becomes GET (Node.js leaves out the body), and a `%` that escapes nothing stands for
 * itself. An HTTP/1.1 request without `Host` is refused (section 3.2).
 */
export const canonicalRequest: RequestHandler = (request, _response, next) => {
  if (request.headers.host === undefined && request.httpVersion === '1.1') {
    next(new Refusal('request.malformed'));
    return;
  }
  if (request.method === 'HEAD') request.method = 'GET';
  request.url = canonicalUrl(request.url);
  request.originalUrl = request.url;
  next();
};

function canonicalUrl(url: string): string {
  const target = url.replace(absoluteForm, '');
  const queryStart = target.indexOf('?');
  const path = queryStart === -1 ? target : target.slice(0, queryStart);
  const query = queryStart === -1 ? '' : target.slice(queryStart);
  return (path === '' ? '/' : decodable(path)) + query;
}

function decodable(path: string): string {
  try {
    decodeURIComponent(path);
    return path;
  } catch {
    return path.replaceAll('%', '%25');
  }
}
