/**
 * Holds an answer against the document: status, media type, headers with their schemas, the body with closed objects, an
 * error code that belongs to the status, and the relations within a body that a schema cannot say.
 */
import { Ajv, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import { contractDocument, findOperation, operationsOfPath, type ResponseObject, type Schema } from './document.js';
import type { Answer } from './model.js';
import { relationViolations } from './relations.js';

/** How strict the suite is with fields and codes that the document does not know. */
export interface ConformanceOptions {
  /** For targets that extend the contract: unknown fields and unknown error codes are accepted. */
  readonly allowExtraFields: boolean;
}

const ajv = new Ajv({ allErrors: true, strict: false });
addFormats.default(ajv);
// Stricter than ajv-formats, which takes a zone without a colon too (RFC 3339, section 5.6).
const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i;
ajv.addFormat('date-time', (text: string) => rfc3339.test(text) && !Number.isNaN(Date.parse(text)));

const validators = new WeakMap<Schema, Map<boolean, ValidateFunction>>();

/** Every way in which an answer to this request breaks the document; empty if it conforms. */
export function contractViolations(
  method: string,
  path: string,
  answer: Answer,
  options: ConformanceOptions = { allowExtraFields: false },
): string[] {
  const response = documentedResponse(method, path, answer.status);
  if (!response) return [`the status ${answer.status} is not documented for ${method} ${path}`];
  return [
    ...headerViolations(response, answer),
    ...(answer.status === 405 ? allowViolations(path, answer) : []),
    ...(answer.status === 429 ? retryAfterViolations(answer) : []),
    ...(answer.status === 503 && answer.headers['retry-after'] === undefined
      ? ['the header Retry-After is missing']
      : []),
    ...bodyViolations(method, path, response, answer, options),
  ];
}

/** The operationId that the document gives this request, if any. */
export function operationIdOf(method: string, path: string): string | undefined {
  return findOperation(method, path)?.operationId;
}

function documentedResponse(method: string, path: string, status: number): ResponseObject | undefined {
  const operation = findOperation(method, path);
  const service = contractDocument['x-service-responses'];
  const responses = operation?.responses ?? service;
  const beforeOperation = status === 431 || status === 408 ? service[String(status)] : undefined;
  return responses[String(status)] ?? beforeOperation ?? (status >= 500 ? responses['default'] : undefined);
}

function headerViolations({ headers = {} }: ResponseObject, answer: Answer): string[] {
  return Object.entries(headers).flatMap(([name, { required, schema }]) => {
    const value = answer.headers[name.toLowerCase()];
    if (value === undefined) return required ? [`the header ${name} is missing`] : [];
    const numeric = schema.type === 'integer' || schema.type === 'number';
    return schemaViolations(
      `the header ${name}`,
      schema,
      numeric && value.trim() !== '' ? Number(value) : value,
      false,
    );
  });
}

function retryAfterViolations({ headers }: Answer): string[] {
  const window = /;w=(\d+)/.exec(headers['ratelimit-policy'] ?? '')?.[1];
  return window !== undefined && Number(headers['retry-after']) > Number(window)
    ? [`the header Retry-After is longer than the window of ${window} s`]
    : [];
}

function allowViolations(path: string, answer: Answer): string[] {
  const allowed = (answer.headers['allow'] ?? '').split(/, */);
  return operationsOfPath(path)
    .map(({ method }) => method.toUpperCase())
    .filter((method) => !allowed.includes(method))
    .map((method) => `the header Allow does not list ${method}`);
}

function bodyViolations(
  method: string,
  path: string,
  { content = {} }: ResponseObject,
  answer: Answer,
  { allowExtraFields }: ConformanceOptions,
): string[] {
  const mediaType = (answer.headers['content-type'] ?? '(none)').replace(/; *charset=utf-8$/i, '');
  const documented = content[mediaType];
  if (!documented) return [`the media type ${mediaType} is not documented`];
  if (method.toLowerCase() === 'head') return answer.text === '' ? [] : ['an answer to HEAD has a body'];
  let body: unknown;
  try {
    body = JSON.parse(answer.text);
  } catch {
    return ['the body is not JSON'];
  }
  const violations = schemaViolations('the body', documented.schema, body, allowExtraFields);
  if (violations.length > 0) return violations;
  if (answer.status < 400) return relationViolations(operationIdOf(method, path), body);
  const { error_code: code } = body as { error_code: string };
  const belonging = Object.values(documented.examples).map(({ value }) => (value as { error_code: string }).error_code);
  const known = contractDocument.components.schemas['Error']?.properties?.['error_code']?.['x-extensible-enum'] ?? [];
  if (belonging.includes(code) || (allowExtraFields && !known.includes(code))) return [];
  return [`the error code ${code} does not belong to the status ${answer.status}`];
}

function schemaViolations(what: string, schema: Schema, value: unknown, open: boolean): string[] {
  const validate = validatorOf(schema, open);
  if (validate(value)) return [];
  return (validate.errors ?? []).map(({ instancePath, message, params }) => {
    const field = (params as { additionalProperty?: string }).additionalProperty;
    return `${what}${instancePath} ${message ?? ''}${field === undefined ? '' : ` (${field})`}`;
  });
}

function validatorOf(schema: Schema, open: boolean): ValidateFunction {
  const compiled = validators.get(schema) ?? new Map<boolean, ValidateFunction>();
  validators.set(schema, compiled);
  const validate = compiled.get(open) ?? ajv.compile(open ? schema : closed(schema));
  compiled.set(open, validate);
  return validate;
}

/** The schema with every object that lists its properties refusing others, unless it allows them in so many words. */
function closed(schema: Schema): Schema {
  const copy: Schema = { ...schema };
  if (schema.items) copy.items = closed(schema.items);
  if (schema.properties) {
    copy.properties = Object.fromEntries(Object.entries(schema.properties).map(([key, value]) => [key, closed(value)]));
    copy.additionalProperties = schema.additionalProperties ?? false;
  }
  return copy;
}
