/** What relations share: the state of a run, items, what is sent, and how responses are judged. */
import type { CredentialScheme, Headers, OtherCaller } from '../dimensions/credential-scheme.ts';
import type { ApiDocument, Parameter } from '../document/model.ts';
import { fieldsOf, requiredFieldsOf } from '../document/schemas.ts';
import { isObject, parsed, told } from '../oracle/json.ts';
import { pathTextOf, valueOfText } from '../oracle/parameters.ts';
import type { Baseline } from '../plan/baseline.ts';
import { successSchema } from '../plan/parameters.ts';
import { UnmetPreconditionError } from '../run/errors.ts';
import type { HttpResponse } from '../run/model.ts';
import { asItCame } from './json-api.ts';
import type { Step } from './steps.ts';
import { type Resource, type Resources } from './resources.ts';
import { changedField, type Fields, type Freedom, isKept, objectsIn, pick, plainName } from './values.ts';
import { identifierField } from './identity.ts';

export interface Run extends Resources {
  /** As it is written: the relations see it as one of plain resources. */
  readonly written: ApiDocument;
  /** Makes texts differ from those of other runs. */
  readonly tag: string;
  requests: number;
  /** The most requests. */
  readonly budget: number;
  /** How many identifiers were chosen. */
  identifiers: number;
  /** How many bodies were made of a resource, by its path and any operation: a value that must be unique is given once. */
  readonly bodies: Map<string, number>;
  readonly freedoms: Map<string, Freedom>;
  /** The paths of resources of which a body is accepted only if it names what the one that the tester gives names. */
  readonly asGiven: Set<string>;
  /** By the path of an owner, what brings it into the state in which something can be created that belongs to it, one after the other. */
  readonly readying: Map<string, { readonly steps: readonly Step[]; readonly except: Resource }>;
  /** The last body that was accepted, with what it got. */
  readonly accepted: Map<Baseline, { readonly sent: string; readonly got: string }>;
}

/** Whose credentials a request has: those of the tester, or of somebody else. */
export type Caller = 'own' | OtherCaller;
export type At = Readonly<Record<string, string>>;

/** An item, or the one value of a resource without identifiers. */
export interface Item {
  readonly resource: Resource;
  readonly id: string;
  /** The path parameters of the item, as they are sent. */
  readonly at: At;
  readonly caller: Caller;
  /** The response that has created it, or shown it. */
  readonly response: HttpResponse;
  /** The fields that it should have. */
  fields: Fields;
}

/** By name, a value or several. */
export type Query = Readonly<Record<string, string | readonly string[]>>;

export interface Sending {
  readonly at?: At;
  /** In place of that of the operation. */
  readonly path?: string;
  readonly query?: Query;
  readonly headers?: Headers;
  readonly body?: unknown;
  readonly method?: string;
  readonly caller?: Caller;
  /** The schemes whose credentials another caller presents. */
  readonly schemes?: readonly CredentialScheme[];
}

/** @throws {Error} with the response that shows what is wrong */
export function fail(message: string, response: HttpResponse): never {
  throw new Error(message, { cause: asItCame(response) });
}

/** @throws {UnmetPreconditionError} with the reason why nothing can be checked */
export function unmet(what: string): never {
  throw new UnmetPreconditionError(what);
}

/** What could be done; undefined if something is missing for it. */
export async function orNone<Done>(work: Promise<Done>): Promise<Done | undefined> {
  return work.catch((error: unknown) => {
    if (error instanceof UnmetPreconditionError) return undefined;
    throw error;
  });
}

/** Fields in which APIs say what is wrong with a request, as RFC 9457 and others have them, the most telling first. */
const explaining = ['detail', 'message', 'errormessage', 'errordescription', 'description', 'error', 'title'];

/** @throws {UnmetPreconditionError} with what is missing, as the server refuses it, and what its response says of that */
export function refusedWith(missing: string, response: HttpResponse | undefined): never {
  const { status, text = '' } = response ?? {};
  const texts = objectsIn(parsed(text))
    .flatMap((each) => Object.entries(each))
    .filter(([, each]) => typeof each === 'string' && each !== '');
  const [[, said] = []] = explaining.flatMap((field) => texts.filter(([name]) => plainName(name) === field));
  unmet(`missing: ${missing} (it responds ${status ?? 'nothing'}${said === undefined ? '' : `, ${told(said)}`})`);
}

/** A server that takes its time is asked for so many things at once. */
const mostTogether = 8;

/** Does something with each item, with several at the same time. @throws the first error, once all that were begun have ended */
export async function together<Each, Result>(
  all: readonly Each[],
  work: (each: Each) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let at = 0; at < all.length; at += mostTogether) {
    const settled = await Promise.allSettled(all.slice(at, at + mostTogether).map(work));
    for (const each of settled) {
      if (each.status === 'rejected') throw each.reason;
      results.push(each.value);
    }
  }
  return results;
}

const onlyExamples = 'the server responds with an example, whatever it is sent';

export function isSuccess({ status }: HttpResponse): boolean {
  return status >= 200 && status < 300 && status !== 202;
}

/** The path parameters that the tester gives. */
export function givenIn(parameters: readonly Parameter[]): At {
  const inPath = parameters.filter((each) => each.in === 'path' && each.value !== undefined);
  return Object.fromEntries(inPath.map((each) => [each.name, pathTextOf(each, each.value) ?? '']));
}

export function headerOf(baseline: Baseline | undefined, name: RegExp): Parameter | undefined {
  return baseline?.operation.parameters.find((each) => each.in === 'header' && name.test(each.name));
}

/** @throws {UnmetPreconditionError} if a response is one that the document shows, or may be, as the document shows none */
export function requireNoExample({ operation }: Baseline, { text, status }: HttpResponse): void {
  const { content = {} } = operation.responses[String(status)] ?? {};
  const examples = Object.values(content).flatMap(({ examples: named, schema }) => [
    ...Object.values(named).map(({ value }) => value),
    ...(schema.example === undefined ? [] : [schema.example]),
  ]);
  const shown = JSON.stringify(parsed(text));
  if (examples.length === 0) unmet('missing: an operation that changes what the response shows');
  if (examples.some((value) => JSON.stringify(value) === shown)) unmet(onlyExamples);
}

/** A body that has the identifier of its item where it has one, which may be in its `metadata`. */
export function identified(body: Fields, item: Pick<Item, 'resource' | 'id'>): Fields {
  const own = identifierField(body, item.resource);
  const { metadata } = body;
  if (own !== undefined) return { ...body, [own]: typed(body[own], item.id) };
  return isObject(metadata) ? { ...body, metadata: identified(metadata, item) } : body;
}

/** The body of a search with these filters, each of which has the type of its field. */
export function searchBody({ payload }: Baseline, query: Query = {}): Fields {
  const { schema = {}, valid } = payload ?? {};
  const fields = fieldsOf(schema);
  const given = Object.entries(query).map(([name, texts]) => {
    const { [name]: field = {} } = fields;
    const values = [texts].flat().map((text) => valueOfText(field.items ?? field, text));
    return [name, field.type === 'array' ? values : values[0]] as const;
  });
  return { ...(isObject(valid) && pick(valid, requiredFieldsOf(schema))), ...Object.fromEntries(given) };
}

export function typed(value: unknown, id: string): unknown {
  return typeof value === 'number' ? Number(id) : id;
}

/** The first field that a representation has otherwise than it was sent. @param by whose response shows it */
export function differing(resource: Resource, expected: Fields, entity: Fields, by = resource.read ?? resource.list) {
  const schema = by === resource.list ? (resource.listed ?? {}) : successSchema(by?.operation);
  return changedField(expected, entity, resource.sent, schema);
}

type Shown = { readonly entity: Fields; readonly response: HttpResponse };

/** @throws {Error} if a representation has what the document has in requests alone */
export function expectNoSecret({ sent }: Resource, given: Fields, { entity, response }: Shown): void {
  const isSecret = ([each, value]: [string, unknown]) =>
    sent.properties[each]?.['writeOnly'] === true && value !== null && isKept(value, entity[each]);
  const [secret] = Object.entries(given).find(isSecret) ?? [];
  if (secret !== undefined) fail(`${secret}, which the document has in requests alone, is shown`, response);
}

/** @param by whose response it is. @throws {Error} if a representation has other values than were sent */
export function expectFields(resource: Resource, expected: Fields, shown: Shown, when: string, by?: Baseline): void {
  expectNoSecret(resource, expected, shown);
  const { entity, response } = shown;
  const name = differing(resource, expected, entity, by);
  if (name !== undefined) fail(`${name} is ${told(entity[name])} after ${when} with ${told(expected[name])}`, response);
}

/** Whether a value is a time as text (RFC 3339). */
export const isTimeText = (value: unknown) => typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value);

/** A number, or the amount of money in an object or a decimal text; else NaN. */
export function amountIn(value: unknown): number {
  if (isObject(value)) return amountIn(value['amount'] ?? value['value']);
  return typeof value === 'number' || (typeof value === 'string' && /^-?\d+\.\d\d+$/.test(value))
    ? Number(value)
    : Number.NaN;
}
