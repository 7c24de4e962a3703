import { hideSecrets } from '../domain/secrets-in-text.ts';
import type { MatchedOperation } from './api-description.ts';
import { isErrorCode, Refusal } from './errors.ts';

/** One fault of a request. */
export interface ValidationFault {
  /** The name of the parameter, or the body's field as the document describes it: empty for the body as a whole. */
  field: string;
  message: string;
  /** The JSON Schema keyword that is violated, or `json` for a body that cannot be parsed. */
  rule: string;
}

/** A fault as express-openapi-validator finds it. */
export interface FoundFault {
  /** A JSON Pointer (RFC 6901) into the request. */
  readonly path: string;
  readonly message: string;
  /** The JSON Schema keyword that is violated. */
  readonly rule: string;
}

/**
 * The refusal of an invalid request, naming every fault (decision D12), but no secret that was sent as a field's name.
 * @param message in place of the documented one, which is about the body
 */
export function validationRefusal(faults: readonly ValidationFault[], message?: string): Refusal {
  const errors = faults.map((fault) => ({ ...fault, field: hideSecrets(fault.field, '[Redacted]') }));
  return new Refusal('request.validation.failed', { message, details: { field: errors[0]?.field, errors } });
}

/** The refusal of a request that breaks rules of its operation. */
export function validationRefusalOf(faults: readonly FoundFault[], operation: MatchedOperation): Refusal {
  const isPathAlone = faults.every(({ path }) => path.startsWith('/params/'));
  const { statuses, errorCodes } = operation;
  if (isPathAlone && statuses.includes('404') && !statuses.includes('400')) {
    // A path that cannot be one of the operation gets the same as one that leads to nothing.
    const [code] = errorCodes.get(404)?.filter(isErrorCode) ?? [];
    return new Refusal(code ?? 'request.not-found');
  }
  const lacksHeaderAlone = faults.every(({ path, rule }) => path.startsWith('/headers/') && rule === 'required');
  const [required] = errorCodes.get(428)?.filter(isErrorCode) ?? [];
  if (lacksHeaderAlone && required) return new Refusal(required);
  return validationRefusal(
    // That of a condition only repeats that the chosen schema is violated.
    faults
      .filter(({ rule }) => rule !== 'if')
      .map(({ path, message, rule }) => ({
        field: fieldOf(path, operation.headerNames),
        message,
        rule: rule === 'x-eov-type' ? 'type' : rule,
      })),
    messageOf(faults, operation),
  );
}

const nouns: Readonly<Record<string, string>> = {
  query: 'the query parameter',
  params: 'the path parameter',
  headers: 'the header',
};

/** Names the invalid parameters, and the body if it is invalid too; undefined if it alone is. */
function messageOf(faults: readonly FoundFault[], { headerNames }: MatchedOperation): string | undefined {
  if (faults.every(({ path }) => path.startsWith('/body'))) return undefined;
  const parts = faults.map(({ path }) => {
    const noun = nouns[path.split('/', 2)[1] ?? ''];
    return noun === undefined ? 'the request body' : `${noun} ${fieldOf(path, headerNames)}`;
  });
  const invalid = [...new Set(parts)];
  return `T${invalid.join(' and ').slice(1)} ${invalid.length > 1 ? 'are' : 'is'} not valid.`;
}

/** Where a fault is, as a JSON Pointer (RFC 6901): at a missing or an unknown property, it points to that. */
export function pointerOf({ instancePath, params }: { instancePath: string; params: object }): string {
  const { missingProperty, additionalProperty, unevaluatedProperty } = params as Partial<Record<string, string>>;
  const name = missingProperty ?? additionalProperty ?? unevaluatedProperty;
  return name === undefined ? instancePath : `${instancePath}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

function fieldOf(pointer: string, headerNames: readonly string[]): string {
  const [, place, within = ''] = /^\/(body|query|params|headers)(.*)$/s.exec(pointer) ?? [];
  if (place === undefined) return pointer;
  // The first `/` is left out where that is unambiguous, so that a field of the body is its plain name.
  if (place === 'body') return within.replace(/^\/(?=[^/])/, '');
  const name = (within.split('/', 2)[1] ?? '').replaceAll('~1', '/').replaceAll('~0', '~');
  return place === 'headers' ? (headerNames.find((each) => each.toLowerCase() === name) ?? name) : name;
}
