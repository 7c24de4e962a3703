import { parse as parseContentType } from 'content-type';
import type { Request, RequestHandler, Response } from 'express';
import getRawBody from 'raw-body';
import { Refusal } from '../errors.ts';
import { operationOf } from '../request-state.ts';
import { validationRefusal } from '../validation-refusal.ts';

const limitBytes = 16 * 1024;

/**
 * Reads the JSON body of an operation that declares one; other bodies are left unread. The media type is checked here and
 * then put into its one canonical form, because express-openapi-validator compiles and keeps a validator for each
 * spelling it meets.
 */
export const readBody: RequestHandler = async (request, response, next) => {
  if (!operationOf(request).hasRequestBody) {
    next();
    return;
  }
  const body = await readDeclaredBody(request, response);
  if (body instanceof Refusal) {
    next(body);
    return;
  }
  request.headers['content-type'] = 'application/json';
  request.body = body;
  next();
};

async function readDeclaredBody(request: Request, response: Response): Promise<unknown> {
  if (!hasBody(request)) return undefined;
  if (!isPlainJson(request)) return new Refusal('request.media-type.unsupported');
  if (expectsContinue(request) && contentLength(request) <= limitBytes) response.writeContinue();
  return readJson(request);
}

function hasBody(request: Request): boolean {
  return request.headers['transfer-encoding'] !== undefined || contentLength(request) > 0;
}

function contentLength({ headers }: Request): number {
  return Number(headers['content-length'] ?? 0);
}

function expectsContinue({ httpVersion, headers }: Request): boolean {
  return httpVersion === '1.1' && headers.expect?.toLowerCase() === '100-continue';
}

function isPlainJson({ headers }: Request): boolean {
  if ((headers['transfer-encoding'] ?? 'chunked').toLowerCase() !== 'chunked') return false;
  if ((headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity') return false;
  try {
    const { type, parameters } = parseContentType(headers['content-type'] ?? '');
    return type === 'application/json' && (parameters['charset'] ?? 'utf-8').toLowerCase() === 'utf-8';
  } catch {
    return false;
  }
}

async function readJson(request: Request): Promise<unknown> {
  let text: string;
  try {
    text = await getRawBody(request, {
      encoding: 'utf-8',
      limit: limitBytes,
      length: request.headers['content-length'] ?? null,
    });
  } catch (error) {
    // What is still on its way is thrown away, so that the connection can carry the next request.
    request.resume();
    const tooLarge = (error as getRawBody.RawBodyError).type === 'entity.too.large';
    return new Refusal(tooLarge ? 'request.body.too-large' : 'request.malformed');
  }
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return validationRefusal([{ field: '', message: 'must be valid JSON', rule: 'json' }]);
  }
}
