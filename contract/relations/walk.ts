/** Random walks: steps on the items of several resources, some at the same time, compared with a model after each. */
import fc from 'fast-check';
import { checkForAll } from '../plan/check-for-all.ts';
import { type Client, expectFields, fail, identified, isSuccess, type Item, type Relation } from './client.ts';
import type { Fields, Resource } from './resources.ts';
import { changesOf, ownFields, removesForGood } from './state.ts';

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
          const model = new Model(client, walked);
          try {
            for (let which = 0; which < first; which += 1) await model.take({ action: 'create', which });
            for (const each of walk) await model.take(each);
            await model.compareAll();
          } finally {
            await client.cleanUp(model.made);
          }
        });
      },
    },
  ];
}

/** What an item should be. */
interface Expected {
  readonly item: Item;
  fields: Fields;
}

class Model {
  readonly made: Item[] = [];
  readonly #client: Client;
  readonly #resources: readonly Resource[];
  #live: Expected[] = [];
  readonly #gone: Item[] = [];

  constructor(client: Client, resources: readonly Resource[]) {
    this.#client = client;
    this.#resources = resources;
  }

  /** Takes a step, and compares what it touched and one item that it did not. */
  async take({ action, which }: Step): Promise<void> {
    const [live, other] = [which, which + 1].map((at) => this.#live[at % Math.max(1, this.#live.length)]);
    if (action === 'create' || !live) await this.#create(which);
    else if (action === 'remove') await this.#remove(live);
    else if (action === 'list') await this.#compareList(live.item.resource);
    else if (action !== 'together') await this.#update(live, action);
    else
      await Promise.all([
        this.#update(live, 'change'),
        other !== live && other && this.#update(other, 'change'),
        this.#create(which),
      ]);
    for (const each of [live, other]) if (each && this.#live.includes(each)) await this.#compare(each, action);
  }

  async compareAll(): Promise<void> {
    for (const each of this.#live) await this.#compare(each, 'the walk');
    for (const item of this.#gone) {
      const { entity, response } = await this.#client.find(item);
      if (entity) fail(`${item.id} is found after it was removed`, response);
    }
    for (const resource of this.#resources) await this.#compareList(resource);
  }

  async #create(which: number): Promise<void> {
    const resource = this.#resources[Math.floor(which / 2) % this.#resources.length];
    if (!resource || this.#live.length >= mostItems) return;
    const parents = this.#live.filter(({ item }) => item.resource === resource.parent);
    const isBelow = resource.parent && resource.create?.operation.path.startsWith(`${resource.parent.path}/`);
    const owner = isBelow ? parents[which % Math.max(1, parents.length)] : undefined;
    if (isBelow && !owner) return;
    const item = await this.#client.create(resource, owner ? { at: owner.item.at } : {});
    this.made.push(item);
    this.#live.push({ item, fields: item.sent });
  }

  async #update(expected: Expected, action: 'change' | 'replace'): Promise<void> {
    const { item } = expected;
    const { change, replace } = item.resource;
    if (change && (action === 'change' || !replace)) {
      const changes = await changesOf(this.#client, item.resource);
      const body = identified(changes[this.made.length % Math.max(1, changes.length)] ?? {}, item);
      if (changes.length > 0 && (await this.#client.update(item, change, body)))
        expected.fields = { ...expected.fields, ...body };
    } else if (replace) {
      const body = identified(await this.#client.body(item.resource, replace), item);
      if (await this.#client.update(item, replace, body)) expected.fields = body;
    }
  }

  async #remove(expected: Expected): Promise<void> {
    const { item } = expected;
    if (!removesForGood(item.resource.remove) || !isSuccess(await this.#client.remove(item))) return;
    this.#gone.push(item);
    const isBelow = (each: Item) => Object.entries(item.at).every(([name, value]) => each.at[name] === value);
    this.#live = this.#live.filter((each) => each !== expected && !isBelow(each.item));
  }

  async #compare({ item, fields }: Expected, after: string): Promise<void> {
    const { entity, response } = await this.#client.find(item);
    if (!entity) fail(`expected to find ${item.id} after ${after}, got ${response.status}`, response);
    expectFields(item.resource, ownFields(item.resource, fields), entity, response, after);
  }

  async #compareList(resource: Resource): Promise<void> {
    const [one, ...others] = this.#live.flatMap(({ item }) => (item.resource === resource ? [item] : []));
    if (!resource.list || !one) return;
    const { ids, complete, last } = await this.#client.listAll(resource, { at: one.at });
    const isBeside = ({ at }: Item) =>
      Object.entries(one.at).every(([name, value]) => name === resource.parameter.name || at[name] === value);
    for (const { id } of [one, ...others.filter(isBeside)]) {
      const count = ids.filter((each) => each === id).length;
      if (count > 1 || (count === 0 && complete))
        fail(`expected ${id} once in the list, found it ${count} times`, last);
    }
    const isGone = ({ id, resource: of }: Item) =>
      of === resource && ids.includes(id) && !this.#live.some(({ item }) => item.id === id);
    const gone = this.#gone.find(isGone);
    if (gone) fail(`${gone.id} is listed after it was removed`, last);
  }
}
