/** How an item is changed: one field at a time, and into the states in which an operation may be possible. */
import { sampleOf } from '../../dimensions/samples.ts';
import type { Schema } from '../../document/model.ts';
import { fieldsOf, requiredFieldsOf } from '../../document/schemas.ts';
import { isObject } from '../../oracle/json.ts';
import type { Baseline } from '../../plan/baseline.ts';
import type { Client } from '../client.ts';
import { isSuccess, type Item, typed } from '../exchange.ts';
import { isMergePatch, type Resource } from '../resources.ts';
import { stepsOf } from '../steps.ts';
import { daysAfter, type Fields, isFree, mayVary, pick } from '../values.ts';

/** Changes of one field each, with the fields that every change must have. */
export async function changesOf(client: Client, resource: Resource): Promise<Fields[]> {
  const { schema = {}, faultsOf } = resource.change?.payload ?? {};
  const [fields, required] = [fieldsOf(schema), requiredFieldsOf(schema)];
  const body = await client.body(resource, resource.change, 'any field');
  const added = {
    ...datesOf(fields, client.run.bodies.get(resource.path)),
    ...(await otherReferences(client, resource)),
  };
  const free = Object.entries({ ...body, ...added }).filter(
    ([name]) => name in added || isFree(name, fields[name]) || mayVary(fields[name] ?? {}),
  );
  const [objects, others] = [free.filter(([, value]) => isObject(value)), free.filter(([, value]) => !isObject(value))];
  // Whether any other change adds to an object, or replaces it, is the server's to choose.
  const parts = isMergePatch(resource.change)
    ? objects.flatMap(([name, value]) =>
        Object.entries(value as Fields).map((part) => [name, Object.fromEntries([part])] as const),
      )
    : [];
  return [...parts, ...others]
    .map(([name, value]) => ({ ...pick(body, required), [name]: value }))
    .filter((change) => faultsOf?.(change).length === 0);
}

/** Dates, which a server may refuse. */
function datesOf(fields: Readonly<Record<string, Schema>>, days = 0): Fields {
  const dates = Object.entries(fields).filter(
    ([, { format, readOnly }]) => /^date(-time)?$/.test(format ?? '') && readOnly !== true,
  );
  return Object.fromEntries(dates.map(([name, field]) => [name, daysAfter(String(sampleOf(field)), days % 28)]));
}

/** The fields of a change that name an item, each with another one. */
async function otherReferences(client: Client, resource: Resource): Promise<Fields> {
  const fields = fieldsOf(resource.change?.payload?.schema);
  const texts: Fields = {};
  for (const [name, { type }] of Object.entries(fields)) if (type === 'string') texts[name] = '';
  const found: Fields = {};
  for (const [name, of] of client.referencesIn(texts, resource, { fields }))
    found[name] = of.create ? (await client.create(of)).id : await client.idOf(of);
  return found;
}

/**
 * A valid body with identifiers of items that there are where it names some, also of the same resource. What an item of the resource
 * names under another name is another item.
 */
export async function bodyNamingItems(
  client: Client,
  resource: Resource,
  payload: Baseline['payload'],
): Promise<Fields> {
  const fields = { ...resource.sent.properties, ...fieldsOf(payload?.schema) };
  const own = Object.fromEntries(Object.keys(resource.sent.properties).map((name) => [name, '']));
  const given = (payload?.valid ?? {}) as Fields;
  const ofBody = client.referencesIn(given, resource, { fields }).map(([, of]) => of);
  const shared = client.referencesIn(own, resource).filter(([name, of]) => ofBody.includes(of) && !(name in given));
  const all = { ...Object.fromEntries(shared.map(([name]) => [name, ''])), ...given };
  const named = pick((await client.withReferences(all, resource, 'own', fields)) as Fields, Object.keys(given));
  for (const [name, other] of client.referencesIn(named, resource, { fields, isOwn: true }))
    if (other.path === resource.path) {
      const { id } = await client.create(resource);
      named[name] = Array.isArray(named[name]) ? [id] : typed(named[name], id);
    }
  return named;
}

/** A body with each listed value of each of its fields in turn. */
export function variantsOf({ payload }: Baseline, valid: Fields): Fields[] {
  return Object.entries(fieldsOf(payload?.schema)).flatMap(([name, { enum: values = [] }]) =>
    values.map((value) => ({ ...valid, [name]: value })),
  );
}

/** A new item in a state in which an operation succeeds, seen on another one; undefined if there is none. */
export async function readyFor(client: Client, resource: Resource, about: Baseline): Promise<Item | undefined> {
  for (const step of [undefined, ...stepsOf(resource, [])]) {
    const make = async () => {
      const item = await client.createAsShown(resource);
      if (step) await client.send(step.by, { at: item.at, body: step.body });
      return item;
    };
    const body = about.payload && (await bodyNamingItems(client, resource, about.payload));
    if (isSuccess(await client.send(about, { at: (await make()).at, body }))) return make();
  }
  return undefined;
}
