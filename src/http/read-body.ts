import { parse as parseContentType } from 'content-type';
import express, { type Request, type RequestHandler } from 'express';
import { Refusal } from '../errors.js';
import { validationRefusal } from './validation-refusal.js';

const limitBytes = 16 * 1024;
const parseJson = express.json({ type: () => true, strict: false, inflate: false, limit: limitBytes });

/**
 * Reads the JSON body of an operation that declares one; other bodies are left unread. The media type is checked here and
 * then put into its one canonical form, because express-openapi-validator compiles and keeps a validator for each
 * spelling it meets.
 */
export const readBody: RequestHandler = (request, response, next) => {
  if (!request.operation?.hasRequestBody) {
    next();
    return;
  }
  const present = hasBody(request);
  if (present && !isJson(request)) {
    next(new Refusal('request.media-type.unsupported'));
    return;
  }
  request.headers['content-type'] = 'application/json';
  if (!present) {
    next();
    return;
  }
  if (request.headers.expect !== undefined && Number(request.headers['content-length'] ?? 0) <= limitBytes)
    response.writeContinue();
  parseJson(request, response, (error?: unknown) => {
    if (error === undefined) next();
    else next(refusalOf(error));
  });
};

function hasBody(request: Request): boolean {
  return request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0;
}

function isJson({ headers }: Request): boolean {
  try {
    const { type, parameters } = parseContentType(headers['content-type'] ?? '');
    return type === 'application/json' && (parameters['charset'] ?? 'utf-8').toLowerCase() === 'utf-8';
  } catch {
    return false;
  }
}

/** What body-parser's error means for the caller; one that is not the caller's stays what it is. */
function refusalOf(error: unknown): unknown {
  switch ((error as { type?: string }).type) {
    case 'entity.parse.failed':
      return validationRefusal([{ field: '', message: 'must be valid JSON', rule: 'json' }]);
    case 'entity.too.large':
      return new Refusal('request.body.too-large');
    case 'encoding.unsupported':
      return new Refusal('request.media-type.unsupported');
    case 'request.aborted':
    case 'request.size.invalid':
      return new Refusal('request.malformed');
    default:
      return error;
  }
}
