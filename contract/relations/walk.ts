/** Random walks: steps on the items of several resources, some at the same time, compared with the model after each. */
import fc from 'fast-check';
import { messageOf } from '../cli/run-command.ts';
import { NoResponseError, UnmetPreconditionError } from '../run/errors.ts';
import type { CheckContext } from '../run/model.ts';
import type { Item } from './client.ts';
import type { Model } from './model.ts';
import { isBelowParent, type Resource } from './resources.ts';
import { changesOf, removesForGood } from './state.ts';

const walks = 3;
const longestWalk = 24;
const mostShrinkAttempts = 200;
/** Items that each walk begins with. */
const first = 4;
const mostItems = 8;
const actions = ['create', 'create', 'replace', 'change', 'change', 'remove', 'list', 'together'] as const;

/** A step; the number chooses among what there is. */
const step = fc.record(
  { action: fc.constantFrom(...actions), which: fc.nat({ max: 1000 }) },
  { noNullPrototype: true },
);
const steps = fc.array(step, { minLength: 1, maxLength: longestWalk, size: 'max' });
type Action = (typeof actions)[number];

/** The resources whose items can be created and found, if any of them can be updated or removed. */
export function walkedResources(resources: readonly Resource[]): Resource[] {
  const walked = resources.filter(
    ({ create, read, list, parent }) => create && (read ?? list) !== undefined && (!parent || parent.create),
  );
  return walked.some(({ change, replace, remove }) => change ?? replace ?? remove) ? walked : [];
}

/**
 * The seed of the run chooses the walks. The first that fails is shrunk, in a bounded number of attempts.
 * @throws {Error} with the smallest walk found and the seed that reproduces it
 * @throws {UnmetPreconditionError} if the check cannot decide about a walk
 */
export async function checkWalks(model: Model, walked: readonly Resource[], { seed }: CheckContext): Promise<void> {
  for (const resource of walked) await model.create(resource);
  let [failed, attempts] = [false, 0];
  let lost: NoResponseError | undefined;
  let unmet: UnmetPreconditionError | undefined;
  const walkOnce = fc.asyncProperty(steps, async (walk) => {
    if (lost || unmet || (failed && (attempts += 1) > mostShrinkAttempts)) return;
    model.made = [];
    model.live = [];
    try {
      for (let which = 0; which < first; which += 1) await addSome(model, walked, which);
      for (const { action, which } of walk) await take(model, walked, action, which);
      await model.expectAll('the walk');
    } catch (error) {
      if (error instanceof UnmetPreconditionError) {
        if (!failed) unmet = error;
        return;
      }
      failed = true;
      if (error instanceof NoResponseError) lost = error;
      throw error;
    } finally {
      await model.cleanUp(model.made);
    }
  });
  const { errorInstance, counterexample } = await fc.check(walkOnce, { seed, numRuns: walks, endOnFailure: false });
  if (unmet) throw unmet;
  if (!failed) return;
  const found = `the smallest input found is ${fc.stringify(counterexample?.[0])}, again with --seed ${seed}`;
  const message = `${messageOf(errorInstance)}; ${found}`;
  throw lost ? new NoResponseError(message) : new Error(message);
}

/** Takes a step, and compares what it touched and one item that it did not. */
async function take(model: Model, walked: readonly Resource[], action: Action, which: number): Promise<void> {
  const [one, other] = [which, which + 1].map((at) => model.live[at % Math.max(1, model.live.length)]);
  if (action === 'create' || !one) await addSome(model, walked, which);
  else if (action === 'list') await model.expectListed(one.resource);
  else if (action === 'remove') {
    if (removesForGood(one.resource.remove)) await model.remove(one);
  } else if (action !== 'together') await update(model, one, action, true);
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
