import { errorOf } from '../../contract/document/documented-errors.ts';
import { entriesOf, type Fault, placedOperations } from '../../contract/document/faults/fault.ts';
import type { RawDocument, RawExample, RawResponse } from '../../contract/document/raw.ts';

type Place = Fault['place'];

interface PlacedExample {
  readonly place: Place;
  readonly status: string;
  readonly example: RawExample;
}

interface PlacedError {
  readonly place: Place;
  readonly code: string;
  readonly status: number;
  readonly message: string;
}

const codeList = ['components', 'schemas', 'Error', 'properties', 'error_code', 'x-extensible-enum'];

/**
 * Error examples without a code or a message, codes with several messages or statuses, and codes that are not listed.
 */
export function* errorFaults(document: RawDocument): Iterable<Fault> {
  const errors: PlacedError[] = entriesOf(document['x-error-codes']).map(
    ([code, { status, error_message: message }]) => ({
      place: ['x-error-codes', code],
      code,
      status,
      message,
    }),
  );
  for (const { place, status, example } of errorExamples(document)) {
    const error = errorOf(status, { value: example.value });
    if (!error)
      yield {
        place: [...place, 'value'],
        message: `the example of an error (${status}) needs an error_code and an error_message; write both as texts`,
      };
    else if (!Number.isNaN(error[1].status)) errors.push({ place: [...place, 'value'], code: error[0], ...error[1] });
  }
  yield* contradictions(errors);
  yield* unlisted(document, errors);
}

function* contradictions(errors: readonly PlacedError[]): Iterable<Fault> {
  const first = new Map<string, PlacedError>();
  for (const error of errors) {
    const known = first.get(error.code);
    if (!known) first.set(error.code, error);
    for (const key of ['message', 'status'] as const)
      if (known && known[key] !== error[key])
        yield {
          place: [...error.place, ...(key === 'message' ? ['error_message'] : [])],
          message: `${error.code} has here another ${key} than in another place (“${known[key]}”); write the same in all, or another code`,
        };
  }
}

function* unlisted(document: RawDocument, errors: readonly PlacedError[]): Iterable<Fault> {
  const listed = document.components?.schemas?.['Error']?.properties?.['error_code']?.['x-extensible-enum'];
  if (!listed) return;
  for (const { place, code } of errors)
    if (!listed.includes(code))
      yield {
        place,
        message: `${code} is not in ${codeList.join('/')}; add it there, and to the table of the introduction`,
      };
  for (const [index, code] of listed.entries())
    if (!errors.some((error) => error.code === code))
      yield {
        place: [...codeList, index],
        message: `${code} has no example that shows it; write one, or its status and error_message under x-error-codes`,
      };
}

/** The examples of every response that is an error. */
function errorExamples(document: RawDocument): PlacedExample[] {
  const lists: [Place, Record<string, RawResponse> | undefined][] = [
    ...placedOperations(document).map(
      ({ place, operation }) => [[...place, 'responses'], operation.responses] as [Place, typeof operation.responses],
    ),
    [['x-service-responses'], document['x-service-responses']],
  ];
  return lists.flatMap(([place, responses]) =>
    entriesOf<RawResponse | undefined>(responses).flatMap(([status, response]) =>
      /^[123]/.test(status) ? [] : examplesOf([...place, status, 'content'], status, response),
    ),
  );
}

function examplesOf(place: Place, status: string, response: RawResponse | undefined): PlacedExample[] {
  return entriesOf(response?.content)
    .filter(([mediaType]) => mediaType === 'application/json')
    .flatMap(([mediaType, { examples, example }]) => [
      ...entriesOf(examples).map(([name, named]) => ({
        place: [...place, mediaType, 'examples', name],
        status,
        example: named,
      })),
      ...(example === undefined
        ? []
        : [{ place: [...place, mediaType, 'example'], status, example: { value: example } }]),
    ]);
}
