/** Relations of what is refused: nothing that can be read is another one afterwards, of the item, of what it refers to, or of numbers about them. */
import { plainlyInvalidBodies } from '../../dimensions/values.ts';
import { isObject, parsed, told } from '../../oracle/json.ts';
import { isSafe } from '../../oracle/request.ts';
import type { Baseline } from '../../plan/baseline.ts';
import type { HttpResponse } from '../../run/model.ts';
import { type At, fail, isSuccess, isTimeText, together, unmet } from '../exchange.ts';
import type { Client } from '../client.ts';
import type { Model } from '../model.ts';
import { ownerOf, type Resource } from '../resources.ts';
import type { Fields } from '../values.ts';
import { bodyNamingItems, readyFor, variantsOf } from './changes.ts';

const mostReads = 8;
const mostBodies = 8;
const mostConflicts = 3;

/** Lists of what was tried, and numbers about the server itself, may have more after a refusal. */
const ofRequests =
  /\b(audit|logs?|events?|attempts?|history|activit(y|ies)|deliver(y|ies)|usage|metrics?|health|status|me)$/i;

/** What a reading shows: each value by its place. */
type Shown = ReadonlyMap<string, unknown>;

function valuesOf(value: unknown, place = ''): (readonly [place: string, value: unknown])[] {
  if (!isObject(value) && !Array.isArray(value)) return [[place, value]];
  return [
    [`${place}.length`, Object.keys(value).length] as const,
    ...Object.entries(value).flatMap(([name, each]) => valuesOf(each, place === '' ? name : `${place}.${name}`)),
  ];
}

/** Reads what there is at a place, and what has no place in particular. */
async function readAll(model: Client, at: At): Promise<{ shown: Shown; responses: Map<string, HttpResponse> }> {
  const shown = new Map<string, unknown>();
  const responses = new Map<string, HttpResponse>();
  const reads = model.run.baselines.filter(({ operation, lacks }) => {
    const inPath = operation.parameters.filter((each) => each.in === 'path');
    const isPlaced = inPath.every(({ name }) => name in at) && lacks.every((name) => name in at);
    return operation.method === 'get' && isPlaced && !ofRequests.test(operation.path);
  });
  const ordered = reads.toSorted((one, other) => other.operation.path.length - one.operation.path.length);
  await together(ordered.slice(0, mostReads), async (read) => {
    const response = await model.send(read, { at });
    const { operationId } = read.operation;
    responses.set(operationId, response);
    for (const [place, value] of isSuccess(response) ? valuesOf(parsed(response.text)) : [])
      shown.set(`${operationId} ${place}`, value);
  });
  return { shown, responses };
}

/** Watches what can be read. @returns fails if that is not as it was, except what changes by itself */
export async function watchReads(model: Client, at: At): Promise<(when: string) => Promise<void>> {
  const before = (await readAll(model, at)).shown;
  const again = (await readAll(model, at)).shown;
  const changed = (from: Shown, to: Shown) =>
    [...from.keys()].filter((place) => from.get(place) !== to.get(place) && !isTimeText(to.get(place)));
  const moving = new Set(changed(before, again).map((place) => place.split(' ')[0]));
  return async (when) => {
    const after = await readAll(model, at);
    const found = changed(again, after.shown).find((each) => !moving.has(each.split(' ')[0]));
    if (found === undefined) return;
    const [operationId = '', place = ''] = found.split(' ');
    const later = await readAll(model, at);
    const response = after.responses.get(operationId);
    // What goes on changing has other reasons.
    if (!response || !isSuccess(response) || changed(after.shown, later.shown).includes(found)) return;
    const [was, now] = [again, after.shown].map((each) => told(each.get(found)));
    fail(`${place} of ${operationId} is ${now} after ${when}, and was ${was}`, response);
  };
}

/** Whether an operation can be refused for its body, or for the state of an item. */
export function mayRefuse({ operation, payload, isOwn }: Baseline): boolean {
  return !isOwn && !isSafe(operation.method) && (payload !== undefined || operation.responses['409'] !== undefined);
}

/** A body whose values are new, so that it would change something. */
function bodyOf(model: Model, about: Baseline, owner: Resource | undefined): Promise<Fields> | undefined {
  const created = model.run.resources.find(({ create }) => create === about);
  if (created) return model.body(created);
  if (owner && [owner.change, owner.replace].includes(about)) return model.body(owner, about, 'any field');
  return owner && bodyNamingItems(model, owner, about.payload);
}

/** One invalid body for each field. */
function invalidBodies({ payload, refusals }: Baseline, valid: unknown): unknown[] {
  const byField = new Map<string, unknown>();
  for (const { name, value } of payload && refusals.invalid.length > 0
    ? plainlyInvalidBodies({ ...payload, valid })
    : []) {
    const [field = '', ...way] = name.split('.');
    if (way.length > 0 && !byField.has(field)) byField.set(field, value);
  }
  return [...byField.values()].slice(0, mostBodies);
}

/** What is refused for its body, or as it conflicts, changes nothing. */
export async function checkRefused(model: Model, about: Baseline): Promise<void> {
  const { payload, operation } = about;
  const { operationId, path, responses } = operation;
  const owner = ownerOf(
    path,
    model.run.resources.filter(({ create }) => create !== about),
  );
  const mayConflict = responses['409'] !== undefined && path !== owner?.path;
  const ready = owner?.create && mayConflict ? await readyFor(model, owner, about) : undefined;
  const item = ready ?? (owner?.create && (await model.create(owner)));
  const at = item ? item.at : await model.locate(path);
  const valid = payload && ((await bodyOf(model, about, owner)) ?? payload.valid);
  const send = async (body: unknown) => {
    const headers = item ? await model.matching(item, about) : [];
    return model.send(about, { at, headers, ...(payload && { body }) });
  };
  let expectSame = await watchReads(model, at);
  const invalid = invalidBodies(about, valid);
  for (const body of invalid) if (isSuccess(await send(body))) return;
  if (invalid.length > 0) await expectSame(`${operationId} has refused invalid bodies`);
  // It is refused in the state of the item, or in the one that it has brought it into.
  let conflicts = 0;
  for (const body of mayConflict
    ? [valid, ...variantsOf(about, valid as Fields)].flatMap((each) => [each, each])
    : []) {
    const response = await send(body);
    if (isSuccess(response)) expectSame = await watchReads(model, at);
    if (response.status !== 409) continue;
    await expectSame(`${operationId} has been refused with 409`);
    if ((conflicts += 1) === mostConflicts) break;
  }
  if (invalid.length + conflicts === 0) unmet('missing: a request that is refused');
}
