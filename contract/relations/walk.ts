/** Random walks: steps on the items of several resources, some at the same time, compared with the model after each. */
import fc from 'fast-check';
import type { Baseline } from '../plan/baseline.ts';
import { checkForAll } from '../plan/check-for-all.ts';
import type { Client, Relation } from './client.ts';
import { type Live, Model } from './model.ts';
import type { Fields, Resource } from './resources.ts';
import { changesOf, removesForGood } from './state.ts';

const walks = 3;
const longestWalk = 24;
/** Items that each walk begins with. */
const first = 4;
const mostItems = 8;
const actions = ['create', 'create', 'replace', 'change', 'change', 'remove', 'list', 'together'] as const;

/** A step; the number chooses among what there is. */
const step = fc.record(
  { action: fc.constantFrom(...actions), which: fc.nat({ max: 1000 }) },
  { noNullPrototype: true },
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;
const steps = fc.array(step, { minLength: 1, maxLength: longestWalk, size: 'max' });

/** One walk over all resources whose items can be created and found; the seed of the run chooses it, and it is shrunk. */
export function walkRelations(resources: readonly Resource[]): Relation[] {
  const walked = resources.filter(
    ({ create, read, list, parent }) => create && (read ?? list) !== undefined && (!parent || parent.create),
  );
  const isWorthIt = walked.some(({ change, replace, remove }) => change ?? replace ?? remove);
  return [
    {
      ...{ id: 'walk', about: isWorthIt ? walked[0]?.create : undefined, uses: walked.flatMap(({ create }) => create) },
      title: 'random walks of creating, updating, removing and listing agree with a model after each step',
      run: async (client, context) => {
        for (const resource of walked) await client.create(resource);
        await checkForAll(context, walks, steps, async (walk) => {
          const model = new Model(client);
          try {
            for (let which = 0; which < first; which += 1) await createSome(model, walked, which);
            for (const each of walk) await take(client, model, walked, each);
            await model.expectAll('the walk');
          } finally {
            await client.cleanUp(model.made);
          }
        });
      },
    },
  ];
}

/** Takes a step, and compares what it touched and one item that it did not. */
async function take(client: Client, model: Model, resources: readonly Resource[], { action, which }: Step) {
  const [live, other] = [which, which + 1].map((at) => model.live[at % Math.max(1, model.live.length)]);
  if (action === 'create' || !live) await createSome(model, resources, which);
  else if (action === 'list') await model.expectListed(live.item.resource);
  else if (action === 'remove') {
    if (removesForGood(live.item.resource.remove)) await model.remove(live);
  } else if (action !== 'together') await update(client, model, live, action, true);
  else
    await Promise.all([
      update(client, model, live, 'change'),
      other !== live && other && update(client, model, other, 'change'),
      createSome(model, resources, which),
    ]);
  for (const each of [live, other])
    if (each && model.live.includes(each)) await client.expectRead(each.item, each.fields, action);
}

async function createSome(model: Model, resources: readonly Resource[], which: number): Promise<void> {
  const resource = resources[Math.floor(which / 2) % resources.length];
  if (!resource || model.live.length >= mostItems) return;
  const parents = model.live.filter(({ item }) => item.resource === resource.parent);
  const isBelow = resource.parent && resource.create?.operation.path.startsWith(`${resource.parent.path}/`);
  const owner = isBelow ? parents[which % Math.max(1, parents.length)] : undefined;
  if (!isBelow || owner) await model.create(resource, owner?.item.at);
}

async function update(client: Client, model: Model, live: Live, action: 'change' | 'replace', isAlone = false) {
  const apply = (by: Baseline, body: Fields) =>
    isAlone ? model.update(live, by, body) : model.updateBeside(live, by, body);
  const { resource } = live.item;
  const { change, replace } = resource;
  if (change && (action === 'change' || !replace)) {
    const changes = await changesOf(client, resource);
    const body = changes[model.made.length % Math.max(1, changes.length)];
    if (body) await apply(change, body);
  } else if (replace) await apply(replace, await client.body(resource, replace));
}
