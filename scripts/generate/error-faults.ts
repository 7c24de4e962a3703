import { errorOf } from '../../contract/document/document-of.ts';
import { entriesOf, type Fault, placedOperations } from '../../contract/document/faults.ts';
import type { RawDocument, RawResponse } from '../../contract/document/raw.ts';

type Place = Fault['place'];

interface PlacedError {
  readonly place: Place;
  readonly code: string;
  readonly status: number;
  readonly message: string;
}

/** The errors with which the server responds on its own, whatever the operations are, and their statuses. */
export const ownErrors: Readonly<Record<string, number>> = {
  'request.authentication.invalid-token': 401,
  'request.body.too-large': 413,
  'request.forbidden': 403,
  'request.header.too-large': 431,
  'request.malformed': 400,
  'request.media-type.unsupported': 415,
  'request.method-not-allowed': 405,
  'request.not-found': 404,
  'request.organisations.feature-flag.not-enabled': 403,
  'request.rate-limit.exceeded': 429,
  'request.timed-out': 408,
  'request.validation.failed': 400,
  'service.internal-error': 500,
  'service.unavailable': 503,
};

const codeList = ['components', 'schemas', 'Error', 'properties', 'error_code', 'x-extensible-enum'];

/** Errors that are not JSON or lack code or message; codes that contradict each other, are not listed or absent. */
export function* errorFaults(document: RawDocument): Iterable<Fault> {
  const errors: PlacedError[] = entriesOf(document['x-error-codes']).map(
    ([code, { status, error_message: message }]) => ({ place: ['x-error-codes', code], code, status, message }),
  );
  for (const { place, status, example } of errorResponses(document).flatMap(examplesOf)) {
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
  const faults = [...otherMediaTypes(document)];
  yield* faults.length > 0 ? faults : absentErrors(document, errors);
}

/** The server sends each error as JSON. */
function* otherMediaTypes(document: RawDocument): Iterable<Fault> {
  for (const { place, status, response } of errorResponses(document))
    if (!entriesOf(response.content).some(([mediaType]) => mediaType === 'application/json'))
      yield {
        place: [...place, 'content'],
        message: `the error ${status} has no application/json, in which the server sends every error; write it, with a schema and an example of error_code and error_message`,
      };
}

/** Own errors that are not shown, nor reported as listed without an example. */
function* absentErrors(document: RawDocument, errors: readonly PlacedError[]): Iterable<Fault> {
  for (const [code, status] of Object.entries(ownErrors)) {
    const shown = errors.find((error) => error.code === code);
    if (shown ? shown.status !== status : !listedCodes(document)?.includes(code))
      yield {
        place: shown?.place ?? ['x-error-codes'],
        message: `the server responds with ${code} as ${status}, which is not shown; write an example of it in a response ${status}, or its status and error_message under x-error-codes`,
      };
  }
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

function listedCodes({ components }: RawDocument): string[] | undefined {
  return components?.schemas?.['Error']?.properties?.['error_code']?.['x-extensible-enum'];
}

function* unlisted(document: RawDocument, errors: readonly PlacedError[]): Iterable<Fault> {
  const listed = listedCodes(document);
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

/** Every response that is an error. */
function errorResponses(document: RawDocument): { place: Place; status: string; response: RawResponse }[] {
  const lists: [Place, Record<string, RawResponse> | undefined][] = [
    ...placedOperations(document).map(
      ({ place, operation }) => [[...place, 'responses'], operation.responses] as [Place, typeof operation.responses],
    ),
    [['x-service-responses'], document['x-service-responses']],
  ];
  return lists.flatMap(([place, responses]) =>
    entriesOf<RawResponse | undefined>(responses).flatMap(([status, response]) =>
      /^([45]|default)/.test(status) && response ? [{ place: [...place, status], status, response }] : [],
    ),
  );
}

function examplesOf({ place: at, status, response }: ReturnType<typeof errorResponses>[number]) {
  const place = [...at, 'content'];
  const { 'application/json': json } = response.content ?? {};
  const named = entriesOf(json?.examples).map(([name, example]) => ({ at: ['examples', name], example }));
  const single = json?.example === undefined ? [] : [{ at: ['example'], example: { value: json.example } }];
  return [...named, ...single].map(({ at: keys, example }) => ({
    place: [...place, 'application/json', ...keys],
    status,
    example,
  }));
}
