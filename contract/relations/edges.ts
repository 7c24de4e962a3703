/** Every value at an edge of the schema is accepted and comes back, in bodies that create, replace, change or save. */
import { isDeepStrictEqual } from 'node:util';
import type { Baseline } from '../plan/baseline.ts';
import type { JsonBody } from '../plan/bodies.ts';
import type { Schema } from '../document/model.ts';
import type { HttpResponse } from '../run/model.ts';
import { type Client, fail, identified, isExample, isSuccess, type Relation, told, unmet } from './client.ts';
import {
  entityIn,
  type Fields,
  fieldsOf,
  isObject,
  parsed,
  type Place,
  requiredFieldsOf,
  type Resource,
  successSchema,
} from './resources.ts';
import { changedFields, type Edge, edgesOf, isFree, isKept } from './values.ts';

/** A way to write a body, and to read what it has become. */
interface Writer {
  readonly write: Baseline;
  readonly json: JsonBody;
  /** A body that the server accepts; empty for a change. */
  readonly base: () => Promise<Fields>;
  /** The fields with edges that can be tried, of a body of all fields. */
  readonly edges: (name: string, schema: Schema) => Promise<Edge[]>;
  readonly send: (body: Fields) => Promise<{ response: HttpResponse; find?: () => Promise<Fields | undefined> }>;
  readonly entityOf: (response: HttpResponse) => Fields | undefined;
  readonly shown: readonly Schema[];
}

const title = 'values at every edge of the schema are accepted and come back as they were sent';

export function edgeRelations(resource: Resource): Relation[] {
  const { create, read, list, replace, change } = resource;
  if (!create || !(read ?? list)) return [];
  const schemas = [create, read].flatMap((each) => successSchema(each?.operation));
  const rows = [['edges', create] as const, [replace === create ? 'replaced-edges' : 'edges', replace] as const];
  return [...rows, ['edges', change] as const].map(([id, write], row): Relation => {
    const run = async (client: Client) => {
      if (!write?.json) return;
      const item = await client.create(resource);
      const send = async (body: Fields) => {
        const made = row === 0 ? await client.tryCreate(resource, body) : undefined;
        if (made)
          return 'resource' in made
            ? { response: made.response, find: async () => (await client.find(made)).entity }
            : { response: made };
        const headers = await client.matching(item, write);
        const response = await client.send(write, { at: item.at, body: identified(body, item), headers });
        return { response, find: async () => (await client.find(item)).entity };
      };
      const base = async () => (write === change ? {} : client.body(resource, write));
      const edges = edgesFor(client, resource, await client.body(resource, write, 'own', 'any field'));
      const entityOf = (response: HttpResponse) => entityIn(parsed(response), resource);
      await checkEdges({ write, json: write.json, base, edges, send, entityOf, shown: schemas });
    };
    return { id, title, about: write, uses: [create, read, list], run };
  });
}

/** What was saved at a place is read there, at every edge; what was there before is put back. */
export function savedRelation(place: Place): Relation {
  const { read, write } = place;
  return {
    id: 'saved',
    title: 'what was saved is read so, at every edge of its schema',
    about: write,
    uses: [read],
    run: (client) => checkSaved(client, place),
  };
}

async function checkSaved(client: Client, { read, write }: Place): Promise<void> {
  const { json } = write;
  if (!json) return;
  const at = await client.locate(read.operation.path);
  const names = Object.keys(fieldsOf(json.schema));
  const find = async () => savedIn(await client.send(read, { at }), names);
  const before = pick((await find()) ?? {}, names);
  const variant = () => client.body(undefined, write, 'own', 'any field');
  try {
    const [one, other] = [await variant(), await variant()];
    const responses = [
      await client.send(write, { at, body: one }),
      await client.send(write, { at, body: other }),
    ] as const;
    const refused = responses.find((each) => !isSuccess(each));
    if (refused && refused.status >= 500) fail(`a valid body gets ${refused.status}`, refused);
    if (refused) unmet(`missing: a body that the server accepts (it responds ${refused.status})`);
    const differs = JSON.stringify(one) !== JSON.stringify(other);
    if (
      differs &&
      responses[0].text === responses[1].text &&
      responses[0].text !== '' &&
      isExample(write, responses[1])
    )
      unmet('the server responds with an example, whatever it is sent');
    const base = async () => (write.operation.method === 'patch' ? {} : variant());
    const edges = edgesFor(client, undefined, one);
    const send = async (body: Fields) => ({ response: await client.send(write, { at, body }), find });
    await checkEdges({
      write,
      json,
      base,
      edges,
      send,
      entityOf: (response) => savedIn(response, names),
      shown: [read, write].flatMap((each) => successSchema(each.operation)),
    });
  } finally {
    if (Object.keys(before).length > 0 && json.faultsOf(before).length === 0)
      await client.send(write, { at, body: before });
  }
}

function pick(fields: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => names.includes(name)));
}

/** The saved object in a response, which may wrap it. */
function savedIn(response: HttpResponse, names: readonly string[]): Fields | undefined {
  const body = parsed(response);
  if (!isObject(body) || !isSuccess(response)) return undefined;
  return [body, ...Object.values(body)]
    .filter(isObject)
    .find((each) => names.some((name) => Object.hasOwn(each, name)));
}

/** Edges of a field of a body, without those that would name another item than there is. */
function edgesFor(client: Client, resource: Resource | undefined, body: Fields): Writer['edges'] {
  return async (name, schema) => {
    const kept: Edge[] = [];
    for (const edge of edgesOf(schema, body[name], name)) {
      const named = { [name]: edge.value };
      if (isDeepStrictEqual(await client.withReferences(named, resource), named)) kept.push(edge);
    }
    return kept;
  };
}

async function checkEdges(writer: Writer): Promise<void> {
  const { faultsOf, fits, schema } = writer.json;
  const fields = Object.entries(fieldsOf(schema)).filter(([name, field]) => isFree(name, field));
  const edges: [string, Edge[]][] = [];
  for (const [name, field] of fields) edges.push([name, await writer.edges(name, field)]);
  // A merge patch adds to an object, rather than replace it.
  const isChange = writer.write.operation.method === 'patch';
  const isUsable = (body: Fields) => faultsOf(body).length === 0 && fits(JSON.stringify(body));
  for (let row = 0; edges.some(([, each]) => row < each.length); row += 1) {
    const base = await writer.base();
    const chosen = edges.flatMap(([name, { [row]: edge }]): [string, Edge][] =>
      edge && isUsable({ ...base, [name]: edge.value }) && !(isChange && isObject(edge.value)) ? [[name, edge]] : [],
    );
    if (chosen.length === 0 || (await tryEdges(writer, base, chosen))) continue;
    // Values may contradict one another, so each is tried alone.
    for (const edge of chosen) await tryEdges(writer, await writer.base(), [edge]);
  }
  await tryLeast(writer);
}

/** A body of the required fields alone is accepted, and what it leaves out has its default, or is replaced by none. */
async function tryLeast({ json: { schema, faultsOf }, write, base, send }: Writer): Promise<void> {
  const whole = await base();
  const least = pick(await base(), requiredFieldsOf(schema));
  if (
    Object.keys(least).length === Object.keys(whole).length ||
    write.operation.method === 'patch' ||
    faultsOf(least).length > 0
  )
    return;
  await send(whole);
  const { response, find } = await send(least);
  if (isRefusal(response)) fail(`a body of the required fields alone is refused with ${response.status}`, response);
  const found = isSuccess(response) ? await find?.() : undefined;
  if (!found) return;
  const { summary, description, method } = write.operation;
  const replaces = method === 'put' && /replac/i.test(`${summary} ${description}`);
  for (const [name, { default: usual, readOnly }] of Object.entries(fieldsOf(schema))) {
    if (Object.hasOwn(least, name) || found[name] === undefined || readOnly === true) continue;
    const isDefault = isKept(usual, found[name]);
    if (usual !== undefined && !isDefault)
      fail(`${name} is ${told(found[name])} when it is left out, and its default is ${told(usual)}`, response);
    if (replaces && whole[name] !== undefined && isKept(whole[name], found[name]) && !isDefault)
      fail(`${name} is still ${told(found[name])} after a replacement without it`, response);
  }
}

/** @returns whether the server has accepted the values */
async function tryEdges(
  { json, send, entityOf, shown }: Writer,
  base: Fields,
  chosen: readonly [string, Edge][],
): Promise<boolean> {
  const changes = Object.fromEntries(chosen.map(([name, { value }]) => [name, value]));
  if (json.faultsOf({ ...base, ...changes }).length > 0) return false;
  const { response, find } = await send({ ...base, ...changes });
  const [[first, edge] = []] = chosen;
  const { status } = response;
  if (isRefusal(response) && chosen.length === 1 && (status >= 500 || edge?.mayBeRefused === false))
    fail(`${edge?.what} in ${first} is refused with ${status}`, response);
  if (!isSuccess(response)) return !isRefusal(response);
  const own = entityOf(response) ?? {};
  const judged = Object.fromEntries(
    chosen.filter(([, each]) => !each.mayBeRefused).map(([name, { value }]) => [name, value]),
  );
  const found = (await find?.()) ?? {};
  for (const [entity, expected] of [
    [own, pick(judged, Object.keys(own))],
    [found, judged],
  ] as const) {
    const [name] = Object.keys(entity).length === 0 ? [] : changedFields(expected, entity, json.schema, ...shown);
    const { what = '' } = chosen.find(([each]) => each === name)?.[1] ?? {};
    if (name !== undefined)
      fail(`${what} in ${name}, ${told(changes[name])}, is read as ${told(entity[name])}`, response);
  }
  return true;
}

/** Whether a request is refused as invalid, or makes the server fail. */
function isRefusal({ status }: HttpResponse): boolean {
  return [400, 422].includes(status) || status >= 500;
}
