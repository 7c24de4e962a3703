import { entriesOf, type Fault, placedOperations, type PlacedOperation, repeated } from './fault.ts';
import type { RawDocument } from '../raw.ts';

/** Duplicate operationIds, and invalid statuses of responses. */
export function* operationFaults(document: RawDocument): Iterable<Fault> {
  const operations = placedOperations(document);
  for (const placed of operations) yield* statusFaults(placed);
  const named = operations.filter(({ operation }) => typeof (operation.operationId as unknown) === 'string');
  for (const [first, ...others] of repeated(named, ({ operation }) => operation.operationId))
    for (const { place, name } of others)
      yield {
        place: [...place, 'operationId'],
        message: `the operationId ${name} is that of ${String(first.place[2]).toUpperCase()} ${first.path} too; give each operation its own`,
      };
}

/** Paths that no request can have. */
export function* pathFaults({ paths }: RawDocument): Iterable<Fault> {
  for (const [path] of entriesOf(paths))
    if (!path.startsWith('/'))
      yield { place: ['paths', path], message: `the path ${path} does not begin with a slash; write /${path}` };
}

/** A path that a path before it matches, too. The suite leaves it out. */
export interface LikePath extends Fault {
  readonly path: string;
}

export function likePaths({ paths }: RawDocument): LikePath[] {
  const templates = entriesOf(paths).map(([path]) => path);
  const groups = repeated(templates, (path) => path.replaceAll(/\{[^}]*\}/g, '{}'));
  return groups.flatMap(([first, ...others]) =>
    others.map((path) => ({
      path,
      place: ['paths', path],
      message: `${path} and ${first} are the same path but for the names of their parameters; describe both under one path`,
    })),
  );
}

function* statusFaults({ place, operation: { responses } }: PlacedOperation): Iterable<Fault> {
  for (const [status] of entriesOf(responses))
    if (!/^([1-5](\d\d|XX)|default)$/.test(status) && !status.startsWith('x-'))
      yield {
        place: [...place, 'responses', status],
        message: `${status} is not a status; write one such as '404', a range such as '5XX', or default`,
      };
}
