// @ts-nocheck
import { isDeepStrictEqual } from 'node:util';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import type { Answer } from 'dredd';
import type { DocumentedAnswer } from './documented-answers.js';
import type { Scenario } from './scenarios.js';

const ajv = new Ajv({ allErrors: true, coerceTypes: true, strict: false });
addFormats.default(ajv);

/** What Dredd itself does not see: the values of headers, and that an error is the very one that was provoked. */
export function findFaults(answer: Answer, documented: DocumentedAnswer, { example }: Scenario): string[] {
  return [...headerFaults(answer, documented), ...exampleFaults(answer, documented, example)];
}

function headerFaults({ headers }: Answer, { headersSchema }: DocumentedAnswer): string[] {
  const validate = ajv.compile(headersSchema);
  if (validate({ ...headers })) return [];
  return (validate.errors ?? []).map(({ instancePath, message }) => `headers${instancePath}: ${message ?? 'invalid'}`);
}

function exampleFaults(answer: Answer, { examples }: DocumentedAnswer, name: string | undefined): string[] {
  if (name === undefined) return [];
  if (!(name in examples)) return [`the document has no example ${name} of this answer`];
  const body: unknown = JSON.parse(answer.body ?? '');
  return isDeepStrictEqual(body, examples[name]) ? [] : [`body: not the documented example ${name}`];
}
