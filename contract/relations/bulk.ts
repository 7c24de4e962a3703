/** What creates several items at once creates each of them. */
import { isDeepStrictEqual } from 'node:util';
import { fieldsOf } from '../document/schemas.ts';
import { isObject, parsed } from '../oracle/json.ts';
import { pathTextOf } from '../oracle/parameters.ts';
import type { Baseline } from '../plan/baseline.ts';
import type { Schema } from '../document/model.ts';
import { differing, fail, isSuccess, unmet } from './exchange.ts';
import type { Model } from './model.ts';
import { identifierIn, type Resource } from './resources.ts';
import { type Fields, plainName } from './values.ts';

const many = 3;

/** The field of a body that is a list of what creates an item, or the empty text if that is the body. */
export function listIn({ json, operation }: Baseline, { create }: Resource): string | undefined {
  const wanted = fieldsOf(create?.json?.schema);
  const isList = ({ type, items, maxItems = many }: Schema) =>
    type === 'array' && maxItems >= many && isDeepStrictEqual(fieldsOf(items), wanted);
  if (operation.method !== 'post' || !json || Object.keys(wanted).length === 0) return undefined;
  return isList(json.schema) ? '' : Object.entries(fieldsOf(json.schema)).find(([, field]) => isList(field))?.[0];
}

/** @throws {Error} if an item that a response shows as created is not found so, or one is left out that is accepted alone */
export async function checkBulk(model: Model, resource: Resource, about: Baseline): Promise<void> {
  const { at: own } = await model.create(resource);
  const sent: Fields[] = [];
  while (sent.length < many) sent.push(await model.body(resource));
  const name = listIn(about, resource) ?? '';
  const body = name === '' ? sent : { ...(about.json?.valid as Fields), [name]: sent };
  const response = await model.send(about, { at: own, body });
  if (!isSuccess(response)) unmet(`missing: several items that the server accepts (it responds ${response.status})`);
  const shown = identifiedIn(parsed(response.text), resource);
  const { parameter } = resource;
  const absent: Fields[] = [];
  for (const fields of sent) {
    const same = shown.filter((each) => isShownAs(resource, fields, each));
    const [id, other] = new Set(same.map((each) => identifierIn(each, resource)));
    if (other !== undefined || model.live.some((each) => each.id === id))
      unmet('missing: fields in the response that tell what was created apart');
    if (id === undefined) absent.push(fields);
    else {
      const at = { ...own, [parameter.name]: pathTextOf(parameter, id) ?? id };
      model.track(model.keep({ resource, id, at, fields, response, caller: 'own' }));
    }
  }
  if (absent.length === many) unmet('missing: what was created, in the response');
  await model.expectAll('several were created');
  // Whether the server has a reason to leave an item out is seen by creating it alone.
  for (const fields of absent)
    if ((await model.tryCreate(resource, fields, { at: own })).item)
      fail(`${many - absent.length} of ${many} items are created, and the others are accepted alone`, response);
}

/** Whether what was sent came back, with at least one field of it. */
function isShownAs(resource: Resource, sent: Fields, shown: Fields): boolean {
  const isCommon = Object.keys(sent).some((name) => Object.hasOwn(shown, name));
  return isCommon && differing(resource, sent, shown, resource.create) === undefined;
}

/** The objects of a response that have an identifier of the resource, at any depth. */
function identifiedIn(value: unknown, resource: Resource): Fields[] {
  if (Array.isArray(value)) return value.flatMap((each) => identifiedIn(each, resource));
  if (!isObject(value)) return [];
  const isNamed = Object.keys(value).some((name) => resource.idNames.slice(0, 2).includes(plainName(name)));
  return [...(isNamed ? [value] : []), ...Object.values(value).flatMap((each) => identifiedIn(each, resource))];
}
