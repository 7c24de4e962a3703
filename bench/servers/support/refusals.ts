import type { ErrorCode } from '../../../generated/errors.ts';
import { type ErrorBody, Refusal } from '../../../src/api/errors.ts';

/** A fault as reported by Ajv. */
interface AjvFault {
  readonly instancePath: string;
  readonly keyword: string;
  readonly message?: string | undefined;
  readonly params: Record<string, unknown>;
}

/** The body of a refusal. */
export function refusalBody(code: ErrorCode, details?: Record<string, unknown>): ErrorBody {
  return new Refusal(code, details && { details }).body;
}

/** The body of the refusal of a request body with these faults. */
export function invalidBody(faults: readonly { field: string; message: string; rule: string }[]): ErrorBody {
  return refusalBody('request.validation.failed', { field: faults[0]?.field, errors: faults });
}

/** The same for faults from Ajv; `prefix` is the place of the body in the schema. */
export function invalidBodyOf(faults: readonly AjvFault[], prefix: string): ErrorBody {
  return invalidBody(
    faults.map(({ instancePath, keyword, message = '', params }) => {
      const named = params['missingProperty'] ?? params['additionalProperty'];
      const field = typeof named === 'string' ? named : instancePath.slice(prefix.length + 1);
      return { field, message, rule: keyword };
    }),
  );
}
