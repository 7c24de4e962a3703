/**
 * Holds an answer against the document: status, media type, headers with their schemas, the body with closed objects, and
 * an error code that belongs to the status. It matches paths by itself, so that it does not trust the server's routing.
 */
// @ts-nocheck

import { Ajv, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import { openApiDocument } from '../../src/http/document.js';

interface HeaderObject {
  required?: boolean;
  schema: object;
}

interface ResponseObject {
  headers?: Record<string, HeaderObject>;
  content?: Record<string, { schema: object; examples: Record<string, { value: { error_code?: string } }> }>;
}

/** An answer as it came over the wire. */
export interface Answer {
  status: number;
  headers: Record<string, string | undefined>;
  text: string;
}

const document = dereference(structuredClone(openApiDocument)) as {
  paths: Record<string, Record<string, { operationId: string; responses: Record<string, ResponseObject> }>>;
  'x-service-responses': Record<string, ResponseObject>;
};
const ajv = new Ajv({ allErrors: true, strict: false, coerceTypes: false });
addFormats.default(ajv);
const validators = new Map<object, ValidateFunction>();

/** Every way in which an answer to this request breaks the document; empty if it conforms. */
export function contractViolations(method: string, path: string, answer: Answer): string[] {
  const response = documentedResponse(method, path, answer.status);
  if (!response) return [`the status ${answer.status} is not documented for ${method} ${path}`];
  return [...headerViolations(response, answer), ...bodyViolations(method, response, answer)];
}

/** The operationId that the document gives this request, if any. */
export function operationIdOf(method: string, path: string): string | undefined {
  return findOperation(method, path)?.operationId;
}

function documentedResponse(method: string, path: string, status: number): ResponseObject | undefined {
  const responses = findOperation(method, path)?.responses ?? document['x-service-responses'];
  return responses[String(status)] ?? (status >= 500 ? responses['default'] : undefined);
}

function findOperation(method: string, path: string) {
  const [pathOnly = ''] = path.split('?');
  const key = method.toLowerCase() === 'head' ? 'get' : method.toLowerCase();
  const item = Object.entries(document.paths).find(([template]) =>
    new RegExp(`^${template.replace(/\{[^}]+\}/g, '[^/]+')}$`).test(pathOnly),
  )?.[1];
  return item?.[key];
}

function headerViolations({ headers = {} }: ResponseObject, answer: Answer): string[] {
  return Object.entries(headers).flatMap(([name, { required, schema }]) => {
    const value = answer.headers[name.toLowerCase()];
    if (value === undefined) return required ? [`the header ${name} is missing`] : [];
    const numeric = 'type' in schema && schema.type === 'integer';
    return schemaViolations(`header ${name}`, schema, numeric ? Number(value) : value);
  });
}

function bodyViolations(method: string, { content = {} }: ResponseObject, answer: Answer): string[] {
  const documented = content[answer.headers['content-type'] ?? ''];
  if (!documented) return [`the media type ${answer.headers['content-type'] ?? '(none)'} is not documented`];
  if (method.toLowerCase() === 'head') return answer.text === '' ? [] : ['an answer to HEAD has a body'];
  let body: { error_code?: string };
  try {
    body = JSON.parse(answer.text) as { error_code?: string };
  } catch {
    return ['the body is not JSON'];
  }
  const violations = schemaViolations('body', documented.schema, body);
  const codes = Object.values(documented.examples).map(({ value }) => value.error_code);
  if (answer.status >= 400 && !codes.includes(body.error_code))
    violations.push(`the error code ${String(body.error_code)} does not belong to the status ${answer.status}`);
  return violations;
}

function schemaViolations(what: string, schema: object, value: unknown): string[] {
  let validate = validators.get(schema);
  if (!validate) validators.set(schema, (validate = ajv.compile(closed(schema) as object)));
  if (validate(value)) return [];
  return (validate.errors ?? []).map(({ instancePath, message }) => `${what}${instancePath} ${message ?? ''}`);
}

/** The schema with every object that lists its properties refusing others, unless it allows them in so many words. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const copy = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]));
  return 'properties' in copy && !('additionalProperties' in copy) ? { ...copy, additionalProperties: false } : copy;
}

function dereference(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(dereference);
  if (typeof node !== 'object' || node === null) return node;
  if ('$ref' in node && typeof node.$ref === 'string') return dereference(resolve(node.$ref));
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, dereference(value)]));
}

function resolve(ref: string): unknown {
  return ref
    .slice(2)
    .split('/')
    .reduce<unknown>((node, key) => (node as Record<string, unknown>)[key], openApiDocument);
}
