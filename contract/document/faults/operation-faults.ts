import { entriesOf, type Fault, placedOperations, type PlacedOperation, repeated } from './fault.ts';
import type { RawDocument } from '../raw.ts';

/** Operations without an operationId, with one that another has, and without responses. */
export function* operationFaults(document: RawDocument): Iterable<Fault> {
  const operations = placedOperations(document);
  for (const placed of operations) {
    if (typeof (placed.operation.operationId as unknown) !== 'string')
      yield {
        place: placed.place,
        message: `${placed.name} has no operationId; write one in camel case, such as operationId: ${suggestedId(placed)}`,
      };
    yield* responseFaults(placed);
  }
  const named = operations.filter(({ operation }) => typeof (operation.operationId as unknown) === 'string');
  for (const [first, ...others] of repeated(named, ({ operation }) => operation.operationId))
    for (const { place, name } of others)
      yield {
        place: [...place, 'operationId'],
        message: `the operationId ${name} is that of ${String(first.place[2]).toUpperCase()} ${first.path} too; give each operation its own`,
      };
}

/** Paths that a request cannot tell apart, or that no request has. */
export function* pathFaults({ paths }: RawDocument): Iterable<Fault> {
  const templates = entriesOf(paths).map(([path]) => path);
  for (const path of templates)
    if (!path.startsWith('/'))
      yield { place: ['paths', path], message: `the path ${path} does not begin with a slash; write /${path}` };
  for (const [first, ...others] of repeated(templates, (path) => path.replaceAll(/\{[^}]*\}/g, '{}')))
    for (const path of others)
      yield {
        place: ['paths', path],
        message: `${path} and ${first} are the same path but for the names of their parameters; describe both under one path`,
      };
}

function* responseFaults({ place, name, operation: { responses } }: PlacedOperation): Iterable<Fault> {
  const statuses = entriesOf(responses).map(([status]) => status);
  if (statuses.length === 0)
    yield { place, message: `${name} has no responses; write at least the one of success, such as '200'` };
  for (const status of statuses)
    if (!/^([1-5](\d\d|XX)|default)$/.test(status) && !status.startsWith('x-'))
      yield {
        place: [...place, 'responses', status],
        message: `${status} is no status; write one such as '404', a range such as '5XX', or default`,
      };
}

function suggestedId({ place, path }: PlacedOperation): string {
  const words = path.replaceAll(/\{[^}]*\}/g, '').match(/[A-Za-z0-9]+/g) ?? [];
  return String(place.at(-1)) + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}
