/**
 * Enforces the document's rules on the request with express-openapi-validator. Who may call, and which operation, was
 * settled before: of the validator's steps, only the one that enforces the rules is used, and it is told the operation.
 *
 * The class and the step are no public interface; test/unit/api/validator-parts.test.ts fails if they change, and the
 * version is pinned. The public `middleware()` costs 180 ms of processor time and 14 MiB more at each start, where it
 * compiles the schema of OpenAPI itself (bench/upstream/eov-meta-schema), and 15 µs instead of 8 µs a request, where it
 * compiles a pattern for each path (bench/upstream/eov-match).
 */
import type { Request, RequestHandler } from 'express';
import { BadRequest, OpenApiValidator } from 'express-openapi-validator/dist/openapi.validator.js';
import type { MatchedOperation } from '../api-description.ts';
import type { Parameter } from '../document-parts.ts';
import { isJson } from '../media-types.ts';
import { operationOf } from '../request-state.ts';
import { validationRefusalOf } from '../validation-refusal.ts';
import { bytesMediaType } from './read-body.ts';

type Specification = Awaited<globalThis.Parameters<OpenApiValidator['installMiddleware']>[0]>;
type Step = ReturnType<OpenApiValidator['installMiddleware']>[number];
type ValidatorRequest = globalThis.Parameters<Step>[0];
type RecognisedOperation = NonNullable<ValidatorRequest['openapi']>;

/** Refuses a request that breaks a rule of its operation; one whose operation has none passes. */
export function validate(document: object, operations: Iterable<MatchedOperation>): RequestHandler {
  const withRules = [...operations].filter(({ hasRequestRules }) => hasRequestRules);
  const apiDoc = requestRules(document, withRules);
  const enforceRules = ruleStep(apiDoc);
  const recognised = new Map(
    withRules.map(({ operationId, path, method }) => {
      const schema = apiDoc.paths?.[path]?.[method as 'get'];
      if (!schema) throw new Error(`The validator does not know ${method} ${path}.`);
      return [operationId, { expressRoute: path, openApiRoute: path, schema, serial: 0 }];
    }),
  );

  return (request: Request & ValidatorRequest, response, next) => {
    const operation = operationOf(request);
    if (!operation.hasRequestRules) {
      next();
      return;
    }
    const known = recognised.get(operation.operationId);
    if (!known) throw new Error(`The validator does not know ${operation.method} ${operation.path}.`);
    for (const name of operation.headerNames) trimItems(request, name, operation);
    request.openapi = { ...known, pathParams: request.params } as RecognisedOperation;
    enforceRules(request, response, (error?: unknown) => {
      next(error instanceof BadRequest ? validationRefusalOf(error.errors, operation) : error);
    });
  };
}

function ruleStep(apiDoc: Specification['apiDoc']): Step {
  const validator = new OpenApiValidator({
    apiSpec: apiDoc,
    validateRequests: { allErrors: true, allowUnknownQueryParameters: true },
    // The other mode accepts days that no month has.
    ajvFormats: { mode: 'full' },
    validateResponses: false,
    validateSecurity: false,
    fileUploader: false,
  });
  const steps = validator.installMiddleware(Promise.resolve({ apiDoc, basePaths: [], routes: [], serial: 0 }));
  const step = steps.find(({ name }) => name === 'requestMiddleware');
  if (!step) throw new Error('express-openapi-validator has no requestMiddleware: its version is another one.');
  return step;
}

/**
 * The document without all that is no rule of a request: the validator would compile each schema of a response, though it
 * checks none. The style of each parameter is written out, since the validator knows no default for a header.
 */
function requestRules(document: object, operations: readonly MatchedOperation[]): Specification['apiDoc'] {
  const { components, ...rest } = structuredClone(document) as Specification['apiDoc'];
  const paths: Record<string, Record<string, object>> = {};
  for (const { operationId, path, method, parameters, isBodyRequired, requestContent } of operations) {
    const rules = { operationId, parameters: parameters.map(ruleOf) };
    const content = Object.entries(requestContent).map(([mediaType, schema]) =>
      isJson(mediaType) ? [mediaType, { schema }] : [bytesMediaType, { schema: {} }],
    );
    (paths[path] ??= {})[method] =
      content.length === 0
        ? rules
        : { ...rules, requestBody: { required: isBodyRequired, content: Object.fromEntries(content) as object } };
  }
  return structuredClone({
    ...rest,
    paths,
    components: { schemas: components?.schemas ?? {} },
  }) as Specification['apiDoc'];
}

/** Characters that a query need not encode (RFC 3986, section 3.4) are accepted as they are. */
function ruleOf(parameter: Parameter): object {
  return parameter.in === 'query' ? { ...parameter, allowReserved: true } : parameter;
}

/** The validator takes the white space around the commas of a list (RFC 9110, section 5.6.1) for a part of its items. */
function trimItems({ headers }: Request, name: string, { parameters }: MatchedOperation): void {
  const value = headers[name.toLowerCase()];
  const isList = parameters.some((each) => each.in === 'header' && each.name === name && each.schema.type === 'array');
  if (isList && typeof value === 'string') headers[name.toLowerCase()] = value.replaceAll(/[ \t]*,[ \t]*/g, ',');
}
