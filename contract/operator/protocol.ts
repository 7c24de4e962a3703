/**
 * The operator protocol: what the suite asks of the operator of the server under test, as JSON-RPC 2.0. Every method
 * but `setup` is optional; checks that need a missing one are not run. docs/operator.md describes it for authors of
 * operators.
 */
import { Ajv, type ValidateFunction } from 'ajv';
import { OperatorError } from './operator-error.ts';

const text = { type: 'string', minLength: 1 };
const nothing = {};
const setting = { type: 'object', required: ['enabled'], properties: { enabled: { type: 'boolean' } } };

function object(properties: Record<string, object>, optional: Record<string, object> = {}): object {
  return { type: 'object', required: Object.keys(properties), properties: { ...properties, ...optional } };
}

/** The result of each method. */
const results = {
  setup: object(
    { methods: { type: 'array', items: text } },
    { credentials: { type: 'object' }, request_quota: { type: 'integer', minimum: 1 } },
  ),
  teardown: nothing,
  listAuditEntries: {
    type: 'array',
    items: object({
      ...Object.fromEntries(
        ['id', 'occurred_at', 'organisation_id', 'credential_id', 'action'].map((name) => [name, text]),
      ),
      before: setting,
      after: setting,
      request_id: text,
      cleared: { type: 'integer', minimum: 0 },
    }),
  },
  saveCachedResult: nothing,
  countCachedResults: { type: 'integer', minimum: 0 },
  identify: object({ organisation_id: text, credential_id: text }),
  readCase: { type: 'object' },
  createCase: object({ case_id: text, file_id: text }),
  lockCase: nothing,
  breakStore: nothing,
  disconnectStore: nothing,
  healStore: nothing,
} satisfies Record<string, object>;

export type OperatorMethod = keyof typeof results;

/** The methods of the protocol. */
export const operatorMethods = Object.keys(results) as OperatorMethod[];

const ajv = new Ajv({ allErrors: true });
const validators = new Map<string, ValidateFunction>(
  Object.entries(results).map(([method, schema]) => [method, ajv.compile(schema)]),
);

/** @throws {OperatorError} if the protocol does not allow this result of the method */
export function checkResult(method: OperatorMethod, result: unknown): void {
  const validate = validators.get(method);
  if (validate && !validate(result))
    throw new OperatorError(
      `${method} responded with ${ajv.errorsText(validate.errors, { dataVar: 'a result that' })}`,
    );
}
