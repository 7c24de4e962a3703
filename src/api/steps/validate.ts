/**
 * Enforces the document's rules on the request with express-openapi-validator. Of its steps, only the one that enforces
 * the rules is used, with the operation already matched.
 *
 * This step is not public; test/unit/api/steps.test.ts fails if it changes, and the version is pinned. The public
 * `middleware()` costs 180 ms of processor time and 14 MiB more at each start, where it compiles the schema of OpenAPI,
 * and 15 instead of 8 µs a request, where it compiles a pattern for each path.
 */
import type { Request, RequestHandler } from 'express';
import validatorUtilities from 'express-openapi-validator/dist/middlewares/util.js';
import { BadRequest, OpenApiValidator } from 'express-openapi-validator/dist/openapi.validator.js';
import { hideSecrets } from '../../domain/secrets-in-text.ts';
import { type MatchedOperation, type Parameter, operationOf } from '../api-description.ts';
import { Refusal } from '../errors.ts';

type Specification = Awaited<globalThis.Parameters<OpenApiValidator['installMiddleware']>[0]>;
type Step = ReturnType<OpenApiValidator['installMiddleware']>[number];
type ValidatorRequest = globalThis.Parameters<Step>[0];
type RecognisedOperation = NonNullable<ValidatorRequest['openapi']>;

interface ValidationFault {
  /** The name of the parameter, or the body's field as the document describes it: empty for the body as a whole. */
  field: string;
  message: string;
  /** The JSON Schema keyword that is violated, or `json` for a body that cannot be parsed. */
  rule: string;
}

/** A fault as express-openapi-validator finds it, at a JSON Pointer (RFC 6901) into the request. */
type FoundFault = Omit<ValidationFault, 'field'> & { readonly path: string };

// The validator's own function does not escape names, and drops empty ones: `{"a/b": 1}` and `{"a": {"b": 1}}` look the same.
Object.assign(validatorUtilities, {
  ajvErrorsToValidatorError: ((_status, errors) => {
    // In place of the validator's error, whose message and stack trace take longer than the check and are read by nobody.
    // oxlint-disable-next-line @typescript-eslint/only-throw-error -- a refusal is no failure
    throw errors.map((error): FoundFault => ({
      path: pointerOf(error),
      message: error.message ?? '',
      rule: error.keyword,
    }));
  }) satisfies typeof validatorUtilities.ajvErrorsToValidatorError,
});

/** The faults that the validator has thrown: what is wrong with a parameter's form, it tells in an error of its own. */
function faultsOf(error: unknown): readonly FoundFault[] | undefined {
  if (Array.isArray(error)) return error as FoundFault[];
  return error instanceof BadRequest ? error.errors.map((fault) => ({ rule: '', ...fault })) : undefined;
}

/** Refuses a request that breaks a rule of its operation; one whose operation has none passes. */
export function validate(requestRules: object): RequestHandler {
  const apiDoc = requestRules as Specification['apiDoc'];
  const enforceRules = ruleStep(apiDoc);
  return (request: Request & ValidatorRequest, response, next) => {
    const operation = operationOf(request);
    const { hasRequestRules, method, path, parameters } = operation;
    if (!hasRequestRules) {
      next();
      return;
    }
    const schema = apiDoc.paths?.[path]?.[method as 'get'];
    if (!schema) throw new Error(`The validator does not know ${method} ${path}.`);
    if (parameters.length > 0) readParameters(request, parameters);
    const { params: pathParams } = request;
    request.openapi = { expressRoute: path, openApiRoute: path, schema, serial: 0, pathParams } as RecognisedOperation;
    enforceRules(request, response, (error?: unknown) => {
      const faults = faultsOf(error);
      next(faults ? refusalOf(faults, operation) : error);
    });
  };
}

function ruleStep(apiDoc: Specification['apiDoc']): Step {
  const validator = new OpenApiValidator({
    apiSpec: apiDoc,
    validateRequests: { allErrors: true, allowUnknownQueryParameters: true },
    // The default mode accepts invalid dates such as 31 February.
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

/** What a text stands for, by its type. NaN is refused by the validator, as the wrong type. */
const jsonTexts: Readonly<Record<string, RegExp>> = {
  integer: /^-?(0|[1-9]\d*)$/,
  number: /^-?(0|[1-9]\d*)(\.\d+)?(e[+-]?\d+)?$/i,
  boolean: /^(true|false)$/,
};

function valueOf(type: string, text: string): unknown {
  const form = jsonTexts[type];
  if (!form) return text;
  return form.test(text) ? (JSON.parse(text) as unknown) : Number.NaN;
}

/**
 * Converts parameters before the validator does: it reads `0x1`, `1e1` and ` 5` as integers, and includes the white
 * space around the commas of a header (RFC 9110, section 5.6.1) in the items.
 */
function readParameters(request: Request, parameters: readonly Parameter[]): void {
  // Express parses the query again on each access.
  const { query } = Object.defineProperty(request, 'query', { value: request.query, configurable: true });
  const places = { query, header: request.headers, path: request.params } as Readonly<Record<string, object>>;
  for (const { in: place, name, explode, type, itemType = '' } of parameters) {
    const values = places[place] as Record<string, unknown>;
    const key = place === 'header' ? name.toLowerCase() : name;
    if (!Object.hasOwn(values, key)) continue;
    const texts = [values[key] as string | string[]].flat();
    const comma = place === 'header' ? /[ \t]*,[ \t]*/ : ',';
    const items = explode ? texts : texts.flatMap((text) => text.split(comma));
    if (type === 'array') values[key] = items.map((text) => valueOf(itemType, text));
    else if (texts.length === 1) values[key] = valueOf(type, texts[0] ?? '');
  }
}

/**
 * The refusal of an invalid request, with every fault (decision D12), but without secrets sent as field names.
 * @param message replaces the documented message, which is about the body
 */
export function validationRefusal(faults: readonly ValidationFault[], message?: string): Refusal {
  const errors = faults.map((fault) => ({ ...fault, field: hideSecrets(fault.field, '[Redacted]') }));
  return new Refusal('request.validation.failed', { message, details: { field: errors[0]?.field, errors } });
}

function refusalOf(
  found: readonly FoundFault[],
  { headerNames, responseMediaTypes, errorCodes }: MatchedOperation,
): Refusal {
  const faults = found.map((fault) => ({ ...fault, ...placeOf(fault.path, headerNames) }));
  // A path that cannot be one of the operation gets the same as one that leads to nothing.
  if (faults.every(({ place }) => place === 'params') && responseMediaTypes['404'] && !responseMediaTypes['400'])
    return new Refusal(errorCodes['404']?.[0] ?? 'request.not-found');
  const [required] = errorCodes['428'] ?? [];
  if (required && faults.every(({ place, rule }) => place === 'headers' && rule === 'required'))
    return new Refusal(required);
  return validationRefusal(
    // The error of `if` only repeats that the chosen schema is violated.
    faults
      .filter(({ rule }) => rule !== 'if')
      .map(({ field, message, rule }) => ({ field, message, rule: rule === 'x-eov-type' ? 'type' : rule })),
    messageOf(faults),
  );
}

const nouns: Readonly<Record<string, string>> = {
  query: 'the query parameter',
  params: 'the path parameter',
  headers: 'the header',
};

/** Names the invalid parameters, and the body if it is invalid too; undefined if it alone is. */
function messageOf(faults: readonly { place: string; field: string }[]): string | undefined {
  if (faults.every(({ place }) => place === 'body')) return undefined;
  const parts = faults.map(({ place, field }) => {
    const noun = nouns[place];
    return noun === undefined ? 'the request body' : `${noun} ${field}`;
  });
  const invalid = [...new Set(parts)];
  return `T${invalid.join(' and ').slice(1)} ${invalid.length > 1 ? 'are' : 'is'} not valid.`;
}

/** Where a fault is, as a JSON Pointer (RFC 6901): at a missing or an unknown property, it points to that. */
function pointerOf({ instancePath, params }: { instancePath: string; params: object }): string {
  const { missingProperty, additionalProperty, unevaluatedProperty } = params as Partial<Record<string, string>>;
  const name = missingProperty ?? additionalProperty ?? unevaluatedProperty;
  return name === undefined ? instancePath : `${instancePath}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** The part of a request to which a pointer leads, and the name of the field or parameter there. */
function placeOf(pointer: string, headerNames: readonly string[]): { place: string; field: string } {
  const [, place = '', within = ''] = /^\/([^/]*)(.*)$/s.exec(pointer) ?? [];
  // The first `/` is left out where that is unambiguous, so that a field of the body is its plain name.
  if (place === 'body') return { place, field: within.replace(/^\/(?=[^/])/, '') };
  const name = (within.split('/', 2)[1] ?? '').replaceAll('~1', '/').replaceAll('~0', '~');
  const documented = place === 'headers' && headerNames.find((each) => each.toLowerCase() === name);
  return { place, field: documented || name };
}
