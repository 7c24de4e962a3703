/** Every value at an edge of the schema is accepted and comes back, in bodies that create, replace, change or save. */
import { isDeepStrictEqual } from 'node:util';
import type { Baseline } from '../plan/baseline.ts';
import type { JsonBody } from '../plan/bodies.ts';
import { isObject, parsed, told } from '../oracle/json.ts';
import type { HttpResponse } from '../run/model.ts';
import { type Client, differing, fail, identified, isSuccess, type Item, unmet } from './client.ts';
import { entityIn, type Resource } from './resources.ts';
import { type Fields, fieldsOf, requiredFieldsOf } from './schemas.ts';
import { type Edge, edgesOf, isFree, isKept } from './values.ts';

type Edges = readonly (readonly [name: string, edge: Edge])[];

/** Puts the value back that a place had before, whatever is found. */
export async function checkSaved(client: Client, resource: Resource, write: Baseline): Promise<void> {
  const { read } = resource as Resource & { read: Baseline };
  const at = await client.locate(read.operation.path);
  const place = { resource, at, id: '', caller: 'own' } as const;
  const { entity: before = {}, response } = await client.find(place);
  try {
    for (const body of [
      await client.body(resource, write, 'any field'),
      await client.body(resource, write, 'any field'),
    ]) {
      const saved = await client.send(write, { at, body });
      if (saved.status >= 500) fail(`a valid body gets ${saved.status}`, saved);
      if (!isSuccess(saved)) unmet(`missing: a body that the server accepts (it responds ${saved.status})`);
      client.requireLive(write, body, saved);
    }
    await new Writer(client, { ...place, response, fields: before }, write).check();
  } finally {
    const body = pick(before, Object.keys(resource.sent.properties));
    if (Object.keys(body).length > 0 && write.json?.faultsOf(body).length === 0) await client.send(write, { at, body });
  }
}

export async function checkEdges(client: Client, resource: Resource, write: Baseline): Promise<void> {
  await new Writer(client, await client.create(resource), write).check();
}

/** Writes bodies, of new items or of one that there is, and compares what they become. */
class Writer {
  readonly #client: Client;
  readonly #item: Item;
  readonly #write: Baseline;
  readonly #json: JsonBody;
  readonly #isChange: boolean;

  constructor(client: Client, item: Item, write: Baseline) {
    this.#client = client;
    this.#item = item;
    this.#write = write;
    this.#json = write.json as JsonBody;
    this.#isChange = write === item.resource.change;
  }

  async check(): Promise<void> {
    const { faultsOf, fits, schema } = this.#json;
    const whole = await this.#body();
    const edges: [string, Edge[]][] = [];
    for (const [name, field] of Object.entries(fieldsOf(schema)))
      if (isFree(name, field))
        edges.push([name, await this.#withoutReferences(name, edgesOf(field, whole[name], name))]);
    const isUsable = (body: Fields) => faultsOf(body).length === 0 && fits(JSON.stringify(body));
    for (let row = 0; edges.some(([, each]) => row < each.length); row += 1) {
      const base = await this.#base();
      const ofRow = edges.flatMap(([name, { [row]: edge }]) => (edge ? [[name, edge] as const] : []));
      // A merge patch adds to an object, rather than replace it.
      const chosen = ofRow.filter(
        ([name, { value }]) => isUsable({ ...base, [name]: value }) && !(this.#isChange && isObject(value)),
      );
      if (chosen.length === 0 || (await this.#accepts(base, chosen))) continue;
      // Values may contradict one another, so each is tried alone.
      for (const edge of chosen) await this.#accepts(await this.#base(), [edge]);
    }
    if (!this.#isChange) await this.#checkLeast();
  }

  #body(): Promise<Fields> {
    return this.#client.body(this.#item.resource, this.#write, 'any field');
  }

  /** A body that the server accepts; empty for a change. */
  async #base(): Promise<Fields> {
    const { resource } = this.#item;
    if (this.#isChange) return {};
    return resource.isSingle ? this.#body() : this.#client.body(resource, this.#write);
  }

  /** Without those that would name another item than there is. */
  async #withoutReferences(name: string, edges: readonly Edge[]): Promise<Edge[]> {
    const kept: Edge[] = [];
    for (const edge of edges) {
      const named = { [name]: edge.value };
      if (isDeepStrictEqual(await this.#client.withReferences(named, this.#item.resource), named)) kept.push(edge);
    }
    return kept;
  }

  /** Sends a body. @returns the response, and the item that has become of it, if the server has accepted it */
  async #send(body: Fields): Promise<{ response: HttpResponse; item?: Item }> {
    const [client, item] = [this.#client, this.#item];
    if (this.#write === item.resource.create) return client.tryCreate(item.resource, body);
    const headers = await client.matching(item, this.#write);
    const response = await client.send(this.#write, { at: item.at, body: identified(body, item), headers });
    return { response, ...(isSuccess(response) && { item }) };
  }

  /** A body of the required fields alone is accepted, and what it leaves out has its default, or is replaced by none. */
  async #checkLeast(): Promise<void> {
    const { schema, faultsOf } = this.#json;
    const whole = await this.#base();
    const least = pick(await this.#base(), requiredFieldsOf(schema));
    if (Object.keys(least).length === Object.keys(whole).length || faultsOf(least).length > 0) return;
    await this.#send(whole);
    const { response, item } = await this.#send(least);
    if (isRefusal(response)) fail(`a body of the required fields alone is refused with ${response.status}`, response);
    const { entity: found } = item ? await this.#client.find(item) : {};
    if (!found) return;
    const { summary, description, method } = this.#write.operation;
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
  async #accepts(base: Fields, chosen: Edges): Promise<boolean> {
    const { resource } = this.#item;
    const changes = Object.fromEntries(chosen.map(([name, { value }]) => [name, value]));
    if (this.#json.faultsOf({ ...base, ...changes }).length > 0) return false;
    const { response, item } = await this.#send({ ...base, ...changes });
    const { status } = response;
    const [[first, edge] = []] = chosen;
    if (isRefusal(response) && chosen.length === 1 && (status >= 500 || edge?.mayBeRefused === false))
      fail(`${edge?.what} in ${first} is refused with ${status}`, response);
    if (!item) return !isRefusal(response);
    const sure = Object.fromEntries(chosen.flatMap(([name, each]) => (each.mayBeRefused ? [] : [[name, each.value]])));
    const own = entityIn(parsed(response.text), resource) ?? {};
    const { entity: found } = await this.#client.find(item);
    for (const [entity, expected, by] of [
      [own, pick(sure, Object.keys(own)), this.#write],
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

function pick(fields: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => names.includes(name)));
}

/** Whether a request is refused as invalid, or makes the server fail. */
function isRefusal({ status }: HttpResponse): boolean {
  return [400, 422].includes(status) || status >= 500;
}
