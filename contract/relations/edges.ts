/** Every value at an edge of the schema is accepted and comes back, in bodies that create, replace, change or save. */
import { isDeepStrictEqual } from 'node:util';
import { bodiesOfNoFormat } from '../dimensions/values.ts';
import type { Baseline } from '../plan/baseline.ts';
import type { SchemaBody } from '../plan/bodies.ts';
import type { Schema } from '../document/model.ts';
import { isObject, parsed, told } from '../oracle/json.ts';
import type { HttpResponse } from '../run/model.ts';
import type { Client } from './client.ts';
import { differing, fail, identified, isSuccess, type Item, refusedWith, together, unmet } from './exchange.ts';
import { isMergePatch, type Resource } from './resources.ts';
import { fieldsOf, requiredFieldsOf } from '../document/schemas.ts';
import { type Edge, usableEdges } from './edge-values.ts';
import { type Fields, freedoms, isKept, isMoving, distinct, pick } from './values.ts';
import { entityFields, entityIn } from './identity.ts';

type Edges = readonly (readonly [name: string, edge: Edge])[];

/** Puts the value back that a place had before, whatever is found. */
export async function checkSaved(client: Client, resource: Resource, write: Baseline): Promise<void> {
  const { read } = resource as Resource & { read: Baseline };
  const at = await client.locate(read.operation.path);
  const place = { resource, at, id: '', caller: 'own' } as const;
  const { entity: before = {}, response } = await client.find(place);
  try {
    const item = { ...place, response, fields: before };
    for (let times = 0; times < 2; times += 1) {
      const { body, saved } = await saveAny(client, item, write);
      client.requireLive(write, body, saved);
    }
    await checkWrites(client, item, write);
  } finally {
    const body = pick(before, Object.keys(resource.sent.properties));
    if (Object.keys(body).length > 0 && write.payload?.faultsOf(body).length === 0)
      await client.send(write, { at, body });
  }
}

/** Saves a body that differs as far from the one that the document shows as the server accepts. */
async function saveAny(client: Client, place: Item, write: Baseline) {
  let last: HttpResponse | undefined;
  for (const freedom of freedoms) {
    const body = await client.body(place.resource, write, freedom);
    const saved = await client.send(write, { at: place.at, body, headers: await client.matching(place, write) });
    last = saved;
    if (saved.status >= 500) fail(`a valid body gets ${saved.status}`, saved);
    if (isSuccess(saved)) return { body, saved };
  }
  return refusedWith('a body that the server accepts', last);
}

/** @param creates whether each body makes an item of its own; a PUT that creates an item also replaces it */
export async function checkEdges(client: Client, resource: Resource, write: Baseline, creates = false): Promise<void> {
  await checkWrites(client, await client.create(resource), write, creates);
}

/** Writes bodies, of new items or of one that there is, and compares what they become. */
async function checkWrites(client: Client, written: Item, write: Baseline, creates = false): Promise<void> {
  const { resource } = written;
  const { faultsOf, fits, schema, textOf } = write.payload as SchemaBody;
  const isChange = write === resource.change;
  const wholeBody = () => client.body(resource, write, 'any field');
  const whole = await wholeBody();
  const outcomes = new Set<'accepted' | 'refused'>();
  let refusal: (() => never) | undefined;
  const all: [string, Edge[]][] = [];
  for (const [name, field] of Object.entries(fieldsOf(schema)))
    all.push([name, await withoutReferences(name, usableEdges(name, field, whole[name]))]);
  // In some states, nothing else can be changed any more.
  const isState = ([name]: (typeof all)[number]) => !creates && isMoving(name);
  const [edges, states] = [all.filter((each) => !isState(each)), all.filter(isState)];
  const isUsable = (body: Fields) => faultsOf(body).length === 0 && fits(textOf(body) ?? '');
  const rows = Array.from({ length: Math.max(0, ...edges.map(([, each]) => each.length)) }, (_none, row) => row);
  const tryRow = async (row: number) => {
    const base = await baseBody();
    const ofRow = edges.flatMap(([name, { [row]: edge }]) => (edge ? [[name, edge] as const] : []));
    const chosen = ofRow.filter(([name, edge]) => isUsable({ ...base, [name]: edge.value }) && isClear(name, edge));
    if (chosen.length === 0 || (await accepts(base, chosen))) return;
    // Values may contradict one another, so each is tried alone.
    for (const edge of chosen) await accepts(await baseBody(), [edge]);
  };
  // Those of one item come one after the other.
  if (creates) await together(rows, tryRow);
  else for (const row of rows) await tryRow(row);
  const ofNoFormat = async () => bodiesOfNoFormat(write.payload as SchemaBody, isChange ? {} : await wholeBody());
  for (const index of (await ofNoFormat()).keys()) await judgeWrong((await ofNoFormat())[index]?.value as Fields);
  if (!isChange) await checkLeast();
  // A field can be changed without the others.
  else
    for (const [name, [edge]] of edges)
      if (edge && isUsable({ [name]: edge.value }) && isClear(name, edge)) await accepts({}, [[name, edge]]);
  await checkReadOnly();
  for (const [name, values] of states)
    for (const edge of values) if (isUsable({ [name]: edge.value })) await accepts(await baseBody(), [[name, edge]]);
  refusal?.();
  if (outcomes.has('refused') && !outcomes.has('accepted')) unmet('missing: a body that the server accepts');

  /** What a change makes of an object with names of any kind is not in the request, as a merge patch adds to it. */
  function isClear(name: string, { value }: Edge): boolean {
    const isPlain = !Object.values(value ?? {}).some(isObject) && fieldsOf(schema)[name]?.properties !== undefined;
    return !isChange || !isObject(value) || (isMergePatch(write) && isPlain);
  }

  /** A body that the server accepts; empty for a change. */
  async function baseBody(): Promise<Fields> {
    if (isChange) return {};
    return resource.isSingle ? wholeBody() : client.body(resource, write);
  }

  /** Without those that would name another item than there is. */
  async function withoutReferences(name: string, all: readonly Edge[]): Promise<Edge[]> {
    const kept: Edge[] = [];
    for (const edge of all) {
      const named = { [name]: edge.value };
      if (isDeepStrictEqual(await client.withReferences(named, resource), named)) kept.push(edge);
    }
    return kept;
  }

  /** Sends a body. @returns the response, and the item that has become of it, if the server has accepted it */
  async function send(body: Fields): Promise<{ response: HttpResponse; item?: Item }> {
    if (creates) return client.tryCreate(resource, body);
    const headers = await client.matching(written, write);
    const response = await client.send(write, { at: written.at, body: identified(body, written), headers });
    return { response, ...(isSuccess(response) && { item: written }) };
  }

  /** What a server accepts though it is not of its format, the document forbids in responses. */
  async function judgeWrong(body: Fields): Promise<void> {
    const { response, item } = await send(body);
    if (response.status >= 500) fail(`an invalid body gets ${response.status}`, response);
    if (item) await client.find(item);
  }

  /** A server may refuse a field that only it sets, or leave it out, but not take it over. */
  async function checkReadOnly(): Promise<void> {
    const { entity: now = {} } = await client.find(written);
    for (const [name, field] of Object.entries({ ...entityFields(resource), ...fieldsOf(schema) })) {
      const values = field['readOnly'] === true && now[name] !== undefined ? othersThan(now[name], field) : [];
      const taken: HttpResponse[] = [];
      // One value may be that of the server by chance.
      const [one] = values;
      const tried = values.length === 1 ? [one, one, one] : values.slice(0, 2);
      for (const value of tried) {
        const body = { ...(await baseBody()), [name]: value };
        if (faultsOf(body).length > 0) break;
        const { response, item } = await send(body);
        const { entity = {} } = item ? await client.find(item) : {};
        if (!isKept(value, entity[name], field)) break;
        taken.push(response);
      }
      const last = taken.at(-1);
      if (last && taken.length === tried.length)
        fail(`${name}, which only the server sets, becomes ${told(tried.at(-1))} by a request`, last);
    }
  }

  /** A body of the required fields alone is accepted, and what it leaves out has its default, or is replaced by none. */
  async function checkLeast(): Promise<void> {
    const base = await baseBody();
    const least = pick(await baseBody(), requiredFieldsOf(schema));
    if (Object.keys(least).length === Object.keys(base).length || faultsOf(least).length > 0) return;
    await send(base);
    const { response, item } = await send(least);
    if (isRefusal(response)) fail(`a body of the required fields alone is refused with ${response.status}`, response);
    const { entity: found } = item ? await client.find(item) : {};
    if (!found) return;
    const { summary, description, method } = write.operation;
    // A PUT replaces what there is (RFC 9110, section 9.3.4), unless the document says otherwise.
    const replaces =
      method === 'put' && !/merg|partial|unchanged|\b(keeps?|kept|stays?|leaves?)\b/i.test(`${summary} ${description}`);
    for (const [name, { default: usual, readOnly }] of Object.entries(fieldsOf(schema))) {
      if (Object.hasOwn(least, name) || found[name] === undefined || readOnly === true) continue;
      const isDefault = isKept(usual, found[name]);
      if (usual !== undefined && !isDefault)
        fail(`${name} is ${told(found[name])} when it is left out, and its default is ${told(usual)}`, response);
      if (replaces && base[name] !== undefined && isKept(base[name], found[name]) && !isDefault)
        fail(`${name} is still ${told(found[name])} after a replacement without it`, response);
    }
  }

  /** @returns whether the server has accepted the values */
  async function accepts(base: Fields, chosen: Edges): Promise<boolean> {
    const changes = Object.fromEntries(chosen.map(([name, { value }]) => [name, value]));
    if (faultsOf({ ...base, ...changes }).length > 0) return false;
    const { response, item } = await send({ ...base, ...changes });
    const { status } = response;
    outcomes.add(item ? 'accepted' : 'refused');
    const [[first, edge] = []] = chosen;
    const isAlone = isRefusal(response) && chosen.length === 1;
    // Whether such a value has a meaning for the server, and its body too, is seen by lesser ones.
    const isSure = async () => {
      const others = edge?.lesser?.map((value) => ({ ...base, [first ?? '']: value })) ?? (isChange ? [] : [base]);
      for (const body of others) if (!(await send(body)).item) return false;
      return true;
    };
    if (isAlone && (status >= 500 || (edge?.mayBeRefused === false && (await isSure()))))
      // The other values are judged as well: the server may have a reason for this one.
      refusal ??= () => fail(`${edge?.what} in ${first} is refused with ${status}`, response);
    if (!item) return !isRefusal(response);
    const kept = chosen.flatMap(([name, each]) => (each.mayChange ? [] : [[name, each.value] as const]));
    const sure = identified(Object.fromEntries(kept), item);
    const own = entityIn(parsed(response.text), resource) ?? {};
    const { entity: found } = await client.find(item);
    for (const [entity, expected, by] of [
      [own, pick(sure, Object.keys(own)), write],
      [found ?? {}, sure, resource.read ?? resource.list],
    ] as const) {
      const name = Object.keys(entity).length === 0 ? undefined : differing(resource, expected, entity, by);
      const { what = '' } = chosen.find(([each]) => each === name)?.[1] ?? {};
      if (name !== undefined)
        fail(`${what} in ${name}, ${told(changes[name])}, is read as ${told(entity[name])}`, response);
    }
    return true;
  }
}

/** Different values of a field, none of which is this one. */
function othersThan(value: unknown, schema: Schema): unknown[] {
  const others = [1, 2, 3, 4].map((n) => distinct(schema, n, 'other', value));
  return [...new Set(others)].filter((each) => each !== undefined && !isKept(each, value, schema));
}

/** Whether a request is refused as invalid, or makes the server fail. */
function isRefusal({ status }: HttpResponse): boolean {
  return [400, 422].includes(status) || status >= 500;
}
