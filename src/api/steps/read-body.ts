import { parse as parseContentType } from 'content-type';
import type { Request, RequestHandler, Response } from 'express';
import getRawBody from 'raw-body';
import { type MatchedOperation, operationOf, bytesMediaType, covering, isJson } from '../api-description.ts';
import { malformed, Refusal } from '../errors.ts';
import { validationRefusal } from './validate.ts';

/**
 * Reads the body of an operation that declares one, JSON or bytes; other bodies are not read. The media type is checked
 * and replaced by its canonical form, because express-openapi-validator caches a validator for each spelling.
 */
export const readBody: RequestHandler = (request, response, next) => {
  const operation = operationOf(request);
  if (operation.maxBodyBytes === null || (!operation.isBodyRequired && !hasBody(request))) {
    delete request.headers['content-type'];
    next();
    return undefined;
  }
  return readDeclaredBody(request, response, operation, operation.maxBodyBytes).then(next);
};

// Leaves out a byte order mark. Given the encoding, raw-body would look for a decoder in JavaScript with each request.
const utf8 = new TextDecoder();

async function readDeclaredBody(
  request: Request,
  response: Response,
  { requestMediaTypes }: MatchedOperation,
  limitBytes: number,
): Promise<Refusal | undefined> {
  if (!hasBody(request)) return validationRefusal([{ field: '', message: 'a body is required', rule: 'required' }]);
  const mediaType = acceptedMediaType(request, requestMediaTypes);
  if (mediaType === undefined) return new Refusal('request.media-type.unsupported');
  if (expectsContinue(request) && contentLength(request) <= limitBytes) response.writeContinue();
  const content = await readContent(request, limitBytes);
  if (content instanceof Refusal) return content;
  const isText = isJson(mediaType);
  request.headers['content-type'] = isText ? mediaType : bytesMediaType;
  try {
    request.body = isText ? (JSON.parse(utf8.decode(content)) as unknown) : content;
    return undefined;
  } catch {
    return validationRefusal([{ field: '', message: 'must be valid JSON', rule: 'json' }]);
  }
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

/** The documented media type of a request that is sent plainly; JSON in UTF-8 alone. */
function acceptedMediaType({ headers }: Request, documented: readonly string[]): string | undefined {
  if ((headers['transfer-encoding'] ?? 'chunked').toLowerCase() !== 'chunked') return undefined;
  if ((headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity') return undefined;
  try {
    const { type, parameters } = parseContentType(headers['content-type'] ?? '');
    const isReadable = !isJson(type) || (parameters['charset'] ?? 'utf-8').toLowerCase() === 'utf-8';
    return isReadable ? covering(documented, type) : undefined;
  } catch {
    return undefined;
  }
}

async function readContent(request: Request, limit: number): Promise<Buffer | Refusal> {
  try {
    return await getRawBody(request, { limit, length: request.headers['content-length'] ?? null });
  } catch (error) {
    // What is still on its way is thrown away, so that the connection can carry the next request.
    request.resume();
    const tooLarge = (error as getRawBody.RawBodyError).type === 'entity.too.large';
    return tooLarge ? new Refusal('request.body.too-large') : malformed();
  }
}
