import { Refusal } from './errors.ts';

/** One fault of a request body. */
export interface ValidationFault {
  /** The name of the field, or the empty string for the body as a whole. */
  field: string;
  message: string;
  /** The JSON Schema keyword that is violated, or `json` for a body that cannot be parsed. */
  rule: string;
}

/** The refusal of an invalid body, naming every fault (decision D12). */
export function validationRefusal(faults: ValidationFault[]): Refusal {
  return new Refusal('request.validation.failed', { details: { field: faults[0]?.field, errors: faults } });
}
