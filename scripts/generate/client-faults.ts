/** The client's requirements on the document: it does not support everything that OpenAPI can express. */
import { parametersOf } from '../../contract/document/document-of.ts';
import { entriesOf, type Fault, placedOperations, type PlacedOperation } from '../../contract/document/faults.ts';
import type { RawDocument, RawServer } from '../../contract/document/raw.ts';

/** Finds the parts of the document that the client cannot be generated from. */
export function* clientFaults(document: RawDocument): Iterable<Fault> {
  for (const placed of placedOperations(document)) yield* operationFaults(placed);
  yield* serverFaults(document);
}

function* operationFaults({ place, name, item, operation }: PlacedOperation): Iterable<Fault> {
  const statuses = entriesOf(operation.responses).map(([status]) => status);
  if (statuses.length > 0 && !statuses.some((status) => /^[23]/.test(status)))
    yield {
      place: [...place, 'responses'],
      message: `${name} has errors alone; write the response of a success, such as '200' or '204'`,
    };
  const parameters = parametersOf(item, operation);
  for (const { in: where, name: parameter } of parameters) {
    if (where === 'cookie')
      yield {
        place: [...place, 'parameters'],
        message: `${name} has the cookie parameter ${parameter}, which the client cannot send; write in: header or in: query`,
      };
    if (where === 'header' && parameters.some((other) => other.in === 'query' && other.name === parameter))
      yield {
        place: [...place, 'parameters'],
        message: `${name} has ${parameter} as a query and as a header parameter, which the client cannot tell apart; give one another name`,
      };
  }
}

/** A client knows two addresses in its region: the document's, and that of paths with servers of their own. */
function* serverFaults(document: RawDocument): Iterable<Fault> {
  const { servers = [] } = document;
  if (servers.length === 0)
    yield { place: ['servers'], message: 'the document has no servers; write one for each region, with x-region' };
  const sets = [
    { place: ['servers'], set: servers },
    ...entriesOf(document.paths).map(([path, { servers: set = [] }]) => ({ place: ['paths', path, 'servers'], set })),
    ...placedOperations(document).map(({ place, operation }) => ({
      place: [...place, 'servers'],
      set: operation.servers ?? [],
    })),
  ].filter(({ set }) => set.length > 0);
  const own = sets.find(({ set }) => set !== servers)?.set;
  for (const { place, set } of sets) {
    const missing = regionsOf(servers).find((region) => !regionsOf(set).includes(region));
    if (regionsOf(set).includes(undefined))
      yield { place, message: 'a server has no region; write it, such as x-region: uk' };
    else if (missing !== undefined)
      yield { place, message: `the region ${missing} has no server here; write one with x-region: ${missing}` };
    if (set !== servers && JSON.stringify(set) !== JSON.stringify(own))
      yield {
        place,
        message: 'these are not the servers of the other paths with servers of their own; write the same ones',
      };
  }
}

function regionsOf(servers: readonly RawServer[]): (string | undefined)[] {
  return servers.map(({ 'x-region': region }) => region);
}
