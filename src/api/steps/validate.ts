/**
 * Enforces the document's rules on the request with express-openapi-validator. Who may call, and which operation, was
 * settled before: of the validator's steps, only the one that enforces the rules is used, and it is told the operation. Its
 * class is used rather than its `middleware()`, which compiles the schema of OpenAPI itself at start, also if it is not to
 * check the document (bench/upstream/eov-meta-schema).
 */
import type { Request, RequestHandler } from 'express';
import { BadRequest, OpenApiValidator } from 'express-openapi-validator/dist/openapi.validator.js';
import { operations } from '../../../generated/operations.ts';
import { openApiDocument } from '../document.ts';
import { type MatchedOperation, operationOf } from '../request-state.ts';
import { validationRefusal } from '../validation-refusal.ts';

type Specification = Awaited<Parameters<OpenApiValidator['installMiddleware']>[0]>;
type Step = ReturnType<OpenApiValidator['installMiddleware']>[number];
type ValidatorRequest = Parameters<Step>[0];
type RecognisedOperation = NonNullable<ValidatorRequest['openapi']>;

/** Refuses a request that breaks a rule of its operation; one whose operation has none passes. */
export function validate(): RequestHandler {
  const apiDoc = requestRules();
  const validator = new OpenApiValidator({
    apiSpec: apiDoc,
    validateRequests: { allErrors: true, allowUnknownQueryParameters: true },
    validateResponses: false,
    validateSecurity: false,
    fileUploader: false,
  });
  const steps = validator.installMiddleware(Promise.resolve({ apiDoc, basePaths: [], routes: [], serial: 0 }));
  const enforceRules = steps.find(({ name }) => name === 'requestMiddleware');
  if (!enforceRules) throw new Error('express-openapi-validator has no requestMiddleware: its version is another one.');

  const recognise = ({ path, method }: MatchedOperation, pathParams: Record<string, string>): RecognisedOperation => {
    const schema = apiDoc.paths?.[path]?.[method];
    if (!schema) throw new Error(`The validator does not know ${method} ${path}.`);
    return {
      expressRoute: path,
      openApiRoute: path,
      pathParams,
      schema,
      serial: 0,
    };
  };
  return (request: Request & ValidatorRequest, response, next) => {
    const operation = operationOf(request);
    if (!operation.hasRequestRules) {
      next();
      return;
    }
    request.openapi = recognise(operation, { ...request.pathParameters });
    enforceRules(request, response, (error?: unknown) => {
      next(error instanceof BadRequest ? refusalOf(error) : error);
    });
  };
}

/** The document without the responses, each of whose schemas the validator would compile though it checks none. */
function requestRules(): Specification['apiDoc'] {
  const document = structuredClone(openApiDocument) as Specification['apiDoc'];
  for (const { path, method } of Object.values(operations)) delete document.paths?.[path]?.[method]?.responses;
  delete document.components?.responses;
  return document;
}

function refusalOf({ errors }: BadRequest) {
  const faults = errors.map(({ path, message, errorCode }) => {
    const field = path.replace(/^\/body\/?/, '');
    const rule = (errorCode ?? '').replace('.openapi.validation', '');
    return { field, message: field === '' && rule === 'required' ? 'a body is required' : message, rule };
  });
  return validationRefusal(faults);
}
