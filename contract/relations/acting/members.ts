/**
 * Relations of what is put into an item and taken out of it by name, such as the tags at `/books/{id}/tags/{tag}`: the item shows
 * in a field of that name what it has.
 */
import type { Parameter } from '../../document/model.ts';
import { parsed, told } from '../../oracle/json.ts';
import { pathTextOf, valueOfText } from '../../oracle/parameters.ts';
import { oracleOf } from '../../oracle/schema.ts';
import type { Baseline } from '../../plan/baseline.ts';
import { fail, isSuccess, type Item, refusedWith, unmet } from '../exchange.ts';
import type { Model } from '../model.ts';
import { type Resource, type Resources } from '../resources.ts';
import { objectsIn, plainName } from '../values.ts';
import { entityFields, identifierIn, refersTo } from '../identity.ts';

/** What items of a resource have by name. */
export interface Members {
  readonly owner: Resource;
  readonly put: Baseline;
  readonly remove: Baseline | undefined;
  /** The field in which an item shows them. */
  readonly field: string;
  readonly parameter: Parameter;
  /** The resource whose items they are, if they have identifiers. */
  readonly of: Resource | undefined;
}

export function membersOf({ baselines, resources }: Resources): Members[] {
  return baselines.flatMap((put): Members[] => {
    const { method, path, requestBody, parameters } = put.operation;
    const [, start, segment = '', name = ''] = /^(.+)\/([^/{}]+)\/\{([^{}/]+)\}$/.exec(path) ?? [];
    const owner = resources.find((each) => each.path === start && each.create && each.read);
    const parameter = parameters.find((each) => each.in === 'path' && each.name === name);
    const [field] =
      Object.entries(owner ? entityFields(owner) : {}).find(
        ([each, { type }]) => type === 'array' && plainName(each) === plainName(segment),
      ) ?? [];
    if (method !== 'put' || requestBody || !owner || !parameter || field === undefined) return [];
    const remove = baselines.find(({ operation }) => operation.path === path && operation.method === 'delete');
    const of = resources.find(
      (each) =>
        each !== owner && refersTo(each, name, { ...parameter.schema, description: parameter.description }, resources),
    );
    return [{ owner, put, remove, field, parameter, of }];
  });
}

/** What is put there is shown, once, until it is removed, and nothing else comes or goes with it. */
export async function checkMembers(model: Model, members: Members): Promise<void> {
  const { owner, put, remove, field, parameter } = members;
  const [item] = [await model.add(owner), await model.add(owner)];
  const names = await namesFor(model, members);
  const send = (by: Baseline, name: string) =>
    model.send(by, { at: { ...item.at, [parameter.name]: pathTextOf(parameter, name) ?? name } });
  const before = await shownIn(model, item, field);
  const expected = new Set(before.names);
  let { etag } = before;
  for (const name of [...names, ...names.slice(0, 1)]) {
    const response = await send(put, name);
    if (response.status >= 500) fail(`a valid request gets ${response.status}`, response);
    if (!isSuccess(response)) refusedWith('what can be put there', response);
    const isNew = !expected.has(name);
    expected.add(name);
    await expectShown(`${name} was put there`, isNew);
    const shown = objectsIn(parsed(response.text)).find((each) => Array.isArray(each[field]));
    const lost = shown && [...expected].find((each) => !namesIn(shown[field]).includes(each));
    if (lost !== undefined) fail(`${lost} is not in the ${field} of the response`, response);
  }
  for (const name of remove ? names.slice(0, 2) : []) {
    const response = await send(remove as Baseline, name);
    if (!isSuccess(response)) refusedWith('what can be removed', response);
    expected.delete(name);
    await expectShown(`${name} was removed`, true);
  }
  const again = remove && (await send(remove, names[0] ?? ''));
  if (again && again.status >= 500) fail(`the repeated removal gets ${again.status}`, again);

  async function expectShown(when: string, isChanged: boolean): Promise<void> {
    const { names: shown, response, etag: now } = await shownIn(model, item, field);
    if (shown.length !== expected.size || !shown.every((each) => expected.has(each)))
      fail(`${field} is ${told(shown)} after ${when}, and should be ${told([...expected])}`, response);
    if (isChanged && etag !== undefined && now === etag && !etag.startsWith('W/'))
      fail(`the ETag is still ${etag} after ${when}`, response);
    etag = now;
    await model.expectOthers(item, `${when} of another`);
  }
}

async function shownIn(model: Model, item: Item, field: string) {
  const { entity = {}, response } = await model.find(item);
  if (!Array.isArray(entity[field])) unmet(`missing: ${field} in a response`);
  return { names: namesIn(entity[field]), response, etag: response.headers['etag'] };
}

/** The names in an array of texts, or the identifiers of what is in it. */
function namesIn(all: unknown): string[] {
  return (all as unknown[]).map((each) => {
    const [object] = objectsIn(each);
    return object ? (identifierIn(object, anyResource) ?? '') : String(each);
  });
}

const anyResource = { idNames: ['id', 'uuid', 'key', 'slug', 'name'] };

/** Three names, of which one begins with another, or the identifiers of three items. */
async function namesFor(model: Model, { of, parameter }: Members): Promise<string[]> {
  if (of?.create)
    return Promise.all([model.create(of), model.create(of), model.create(of)].map(async (item) => (await item).id));
  const isValid = (text: string) => oracleOf(parameter.schema)(valueOfText(parameter.schema, text)).length === 0;
  const name = model.chosenId(parameter.schema);
  const longer = [`${name}-x`, `${name}x`, `${name}2`].filter(isValid);
  return [name, ...longer.slice(0, 1), model.chosenId(parameter.schema)];
}
