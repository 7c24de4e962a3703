import { parameterViolations } from '../oracle/parameters.ts';
import { bodyViolations, readBody } from '../oracle/body.ts';
import type { ReceivedRequest } from '../oracle/request.ts';
import { fieldOf, schemaErrors } from '../oracle/schema.ts';
import type { Operation } from '../document/model.ts';

/** A fault of a request, as in `error_details.errors` of a 400. */
export interface ValidationFault {
  readonly field: string;
  readonly message: string;
  readonly rule: string;
}

/** The faults in the parameters and the body of a request whose media type is right. */
export function validationFaults(operation: Operation, request: ReceivedRequest, isOwn: boolean): ValidationFault[] {
  const ofParameters = parameterViolations(operation, request.path, request.headers).map(({ parameter, message }) => ({
    field: parameter.name,
    message,
    rule: message.endsWith('is missing') ? 'required' : 'type',
  }));
  return [...ofParameters, ...bodyFaults(operation, request, isOwn)];
}

function bodyFaults(operation: Operation, request: ReceivedRequest, isOwn: boolean): ValidationFault[] {
  const { requestBody } = operation;
  const [violation] = requestBody ? bodyViolations(operation, request, !isOwn) : [];
  if (!requestBody || !violation) return [];
  const read = readBody(requestBody, request);
  if (read)
    return schemaErrors(read.schema, read.value, !isOwn).map((error) => ({
      field: fieldOf(error),
      message: error.message ?? 'is not valid',
      rule: error.keyword,
    }));
  const rule = request.bodyBytes === 0 ? 'required' : 'json';
  return [{ field: '', message: violation.message, rule }];
}
