/**
 * Holds an answer against the document: status, media type, headers with their schemas, the body with closed objects, an
 * error code that belongs to the status, and the relations within a body that a schema cannot say.
 */
import { contractDocument, findOperation, operationIdOf, operationsOfPath, type ResponseObject } from '../document/document.ts';
import { relationViolations } from './relations.ts';
import { schemaViolations } from './schema-violations.ts';
import type { ContractRule, Violation } from './violation.ts';

/** An answer as it came over the wire; header names are in lower case. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
}

/** How strict the suite is with fields and codes that the document does not know. */
export interface ConformanceOptions {
  /** For targets that extend the contract: unknown fields and unknown error codes are accepted. */
  readonly allowExtraFields: boolean;
}

/** Every way in which an answer to this request breaks the document; empty if it conforms. */
export function answerViolations(
  method: string,
  path: string,
  answer: Answer,
  options: ConformanceOptions = { allowExtraFields: false },
): Violation[] {
  const response = documentedResponse(method, path, answer.status);
  if (!response) return broken('status', [`the status ${answer.status} is not documented for ${method} ${path}`]);
  return [
    ...broken('header', [
      ...headerViolations(response, answer),
      ...(answer.status === 405 ? allowViolations(path, answer) : []),
      ...(answer.status === 429 ? retryAfterViolations(answer) : []),
      ...(answer.status === 503 && answer.headers['retry-after'] === undefined
        ? ['the header Retry-After is missing']
        : []),
    ]),
    ...bodyViolations(method, path, response, answer, options),
  ];
}

function broken(rule: ContractRule, messages: string[]): Violation[] {
  return messages.map((message) => ({ rule, message }));
}

function documentedResponse(method: string, path: string, status: number): ResponseObject | undefined {
  const operation = findOperation(method, path);
  const service = contractDocument['x-service-responses'];
  const responses = operation?.responses ?? service;
  const beforeOperation = status === 431 || status === 408 ? service[String(status)] : undefined;
  return responses[String(status)] ?? beforeOperation ?? (status >= 500 ? responses['default'] : undefined);
}

function headerViolations({ headers }: ResponseObject, answer: Answer): string[] {
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
  { content }: ResponseObject,
  answer: Answer,
  { allowExtraFields }: ConformanceOptions,
): Violation[] {
  const mediaType = (answer.headers['content-type'] ?? '(none)').replace(/; *charset=utf-8$/i, '');
  const documented = content[mediaType];
  if (!documented) return broken('media type', [`the media type ${mediaType} is not documented`]);
  if (method.toLowerCase() === 'head')
    return answer.text === '' ? [] : broken('body', ['an answer to HEAD has a body']);
  let body: unknown;
  try {
    body = JSON.parse(answer.text);
  } catch {
    return broken('body', ['the body is not JSON']);
  }
  const violations = schemaViolations('the body', documented.schema, body, allowExtraFields);
  if (violations.length > 0) return broken('body', violations);
  if (answer.status < 400) return broken('relation', relationViolations(operationIdOf(method, path), body));
  const { error_code: code } = body as { error_code: string };
  const belonging = Object.values(documented.examples).map(({ value }) => (value as { error_code: string }).error_code);
  const known = contractDocument.components.schemas['Error']?.properties?.['error_code']?.['x-extensible-enum'] ?? [];
  if (belonging.includes(code) || (allowExtraFields && !known.includes(code))) return [];
  return broken('error code', [`the error code ${code} does not belong to the status ${answer.status}`]);
}
