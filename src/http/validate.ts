import type { ErrorRequestHandler, RequestHandler } from 'express';
import { error as validatorError, middleware } from 'express-openapi-validator';
import { openApiDocument } from '../document.js';
import { validationRefusal } from './validation-refusal.js';

type Spec = Exclude<Parameters<typeof middleware>[0]['apiSpec'], string>;

/**
 * Enforces the document's schemas on the request with express-openapi-validator. Who may call was settled before; a
 * request that the validator does not recognise goes no further.
 */
export function validate(): (RequestHandler | ErrorRequestHandler)[] {
  return [
    ...middleware({
      apiSpec: structuredClone(openApiDocument) as Spec,
      validateApiSpec: false,
      validateRequests: { allErrors: true, allowUnknownQueryParameters: true },
      validateResponses: false,
      validateSecurity: false,
      fileUploader: false,
    }),
    requireRecognised,
    refuseInvalid,
  ];
}

const requireRecognised: RequestHandler = (request, _response, next) => {
  if (!('openapi' in request)) throw new Error(`The validator does not know ${request.method} ${request.path}`);
  next();
};

const refuseInvalid: ErrorRequestHandler = (error, _request, _response, next) => {
  if (!(error instanceof validatorError.BadRequest)) {
    next(error);
    return;
  }
  next(
    validationRefusal(
      error.errors.map(({ path, message, errorCode }) => {
        const field = path.replace(/^\/body\/?/, '');
        const rule = (errorCode ?? '').replace('.openapi.validation', '');
        return { field, message: field === '' && rule === 'required' ? 'a body is required' : message, rule };
      }),
    ),
  );
};
