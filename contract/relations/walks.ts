/** Random walks of creating, updating, removing and listing, compared with a model after each step. */
import fc from 'fast-check';
import { isUnsent } from '../plan/asking.ts';
import { fewest } from '../plan/explore.ts';
import { NoResponseError, UnmetPreconditionError } from '../run/errors.ts';
import type { CheckContext } from '../run/model.ts';
import { changesOf } from './acting/changes.ts';
import type { Item } from './exchange.ts';
import { type Model } from './model.ts';
import { isBelowParent, type Resource } from './resources.ts';

const walks = 3;
const longestWalk = 24;
const first = 4;
const mostItems = 8;
const actions = ['create', 'create', 'replace', 'change', 'change', 'remove', 'list', 'together'] as const;

/** The number chooses among what there is. */
interface Move {
  readonly action: (typeof actions)[number];
  readonly which: number;
}

const numbered = { action: fc.constantFrom(...actions), which: fc.nat({ max: 1000 }) };
const move = fc.record(numbered, { noNullPrototype: true });
const steps = fc.array(move, { minLength: 1, maxLength: longestWalk, size: 'max' });

/** The resources whose items can be created and found, if any of them can be updated or removed. */
export function walkedResources(resources: readonly Resource[]): Resource[] {
  const walked = resources.filter(
    ({ create, read, list, parent }) => create && (read ?? list) !== undefined && (!parent || parent.create),
  );
  return walked.some(({ change, replace, remove }) => change ?? replace ?? remove) ? walked : [];
}

/** The seed of the run chooses the walks. @throws {Error} with the fewest steps of the first that fails, and that seed */
export async function checkWalks(model: Model, walked: readonly Resource[], { seed }: CheckContext): Promise<void> {
  const able: Resource[] = [];
  let unable: unknown;
  for (const resource of walked)
    await model.create(resource).then(
      () => able.push(resource),
      (error: unknown) => {
        if (!(error instanceof UnmetPreconditionError)) throw error;
        unable = error;
      },
    );
  if (able.length === 0) throw unable;
  const faultIn = async (walk: readonly Move[]): Promise<unknown> => {
    model.made = [];
    model.live = [];
    try {
      for (let which = 0; which < first; which += 1) await addSome(model, able, which);
      for (const each of walk) await take(model, able, each);
      await model.expectAll('the walk');
      return undefined;
    } catch (error) {
      return error;
    } finally {
      await model.cleanUp(model.made);
    }
  };
  for (const walk of fc.sample(steps, { seed, numRuns: walks })) {
    let fault = await faultIn(walk);
    if (fault === undefined) continue;
    if (isUnsent(fault) || fault instanceof NoResponseError) throw fault;
    const kept = await fewest(walk, async (fewer) => {
      const seen = await faultIn(fewer);
      if (seen === undefined || isUnsent(seen)) return false;
      fault = seen;
      return true;
    });
    const { message, cause } = fault as Error;
    const found = `the smallest input found is ${fc.stringify(kept)}, again with --seed ${seed}`;
    throw new Error(`${message}; ${found}`, { cause });
  }
}

/** Takes a step, and compares what it touched and one item that it did not. */
async function take(model: Model, walked: readonly Resource[], { action, which }: Move): Promise<void> {
  const [one, other] = [which, which + 1].map((at) => model.live[at % Math.max(1, model.live.length)]);
  if (action === 'create' || !one) await addSome(model, walked, which);
  else if (action === 'list') await model.expectListed(one.resource);
  else if (action === 'remove') await (one.resource.remove && model.remove(one));
  else if (action !== 'together') await update(model, one, action, true);
  else
    await Promise.all([
      update(model, one, 'change'),
      other !== one && other && update(model, other, 'change'),
      addSome(model, walked, which),
    ]);
  for (const each of [one, other]) if (each && model.live.includes(each)) await model.expectRead(each, action);
}

async function addSome(model: Model, walked: readonly Resource[], which: number): Promise<void> {
  const resource = walked[Math.floor(which / 2) % walked.length];
  if (!resource || model.live.length >= mostItems) return;
  const parents = model.live.filter((item) => item.resource === resource.parent);
  const owner = isBelowParent(resource) ? parents[which % Math.max(1, parents.length)] : undefined;
  if (owner || !isBelowParent(resource)) await model.add(resource, owner?.at);
}

async function update(model: Model, item: Item, action: 'change' | 'replace', isAlone = false): Promise<void> {
  const { resource } = item;
  const { change, replace } = resource;
  const by = action === 'change' || !replace ? (change ?? replace) : replace;
  if (!by) return;
  const bodies = by === change ? await changesOf(model, resource) : [await model.body(resource, by)];
  const body = bodies[model.made.length % Math.max(1, bodies.length)];
  if (body) await (isAlone ? model.apply(item, by, body) : model.update(item, by, body));
}
