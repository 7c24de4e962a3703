/** Responses that the server sends on its own and that an operation does not document. */
import { parametersOf } from '../../contract/document/document-of.ts';
import { entriesOf, type Fault, type PlacedOperation } from '../../contract/document/faults.ts';
import { isAnySegment } from './operations-source.ts';
import type { RawDocument } from '../../contract/document/raw.ts';

/** Finds missing statuses that follow from an operation's requests. */
export function* responseFaults(placed: PlacedOperation, document: RawDocument): Iterable<Fault> {
  const { place, name, operation } = placed;
  const statuses = entriesOf(operation.responses).map(([status]) => status);
  if (statuses.length === 0) return;
  for (const [status, reason] of ownResponses(placed, document))
    if (!statuses.includes(status))
      yield {
        place: [...place, 'responses'],
        message: `${name} does not document ${status}, with which ${reason}; write '${status}', as other operations have it`,
      };
}

function ownResponses({ item, operation }: PlacedOperation, document: RawDocument): [status: string, reason: string][] {
  const security = operation.security ?? document.security ?? [];
  const isRequired = (key: 'x-required-permission' | 'x-required-feature') => typeof operation[key] === 'string';
  const isRestricted = isRequired('x-required-permission') || isRequired('x-required-feature');
  const parameters = parametersOf(item, operation);
  // A path that violates a rule is unknown, if the operation documents 404.
  const hasNotFound = operation.responses?.['404'] !== undefined;
  const isChecked =
    operation.requestBody !== undefined ||
    parameters.some((each) => (each.in === 'path' ? !hasNotFound && !isAnySegment(each) : true));
  const needed: [isNeeded: boolean, status: string, reason: string][] = [
    [isChecked, '400', 'a parameter or a body that breaks its rule is refused'],
    [security.length > 0, '401', 'a request without a valid credential is refused'],
    [security.length > 0 && isRestricted, '403', 'a caller without the right is refused'],
    [operation.requestBody !== undefined, '413', 'a body that is too large is refused'],
    [operation.requestBody !== undefined, '415', 'a body of another media type is refused'],
    [true, '429', 'a request beyond the limit is refused'],
    [true, '500', 'an unexpected fault is reported'],
    [true, '503', 'a request is refused while the service is unavailable'],
  ];
  return needed.filter(([isNeeded]) => isNeeded).map(([, status, reason]) => [status, reason]);
}
