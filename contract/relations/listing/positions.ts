/** Relations of what has a position beside others, as lessons in a course: positions are consecutive, whatever is added, moved or removed. */
import { fieldsOf } from '../../document/schemas.ts';
import type { Baseline } from '../../plan/baseline.ts';
import { told } from '../../oracle/json.ts';
import { fail, isSuccess, type Item, refusedWith } from '../exchange.ts';
import type { Model } from '../model.ts';
import { isBelowParent, type Resource, type Resources } from '../resources.ts';
import { actionsOf } from '../steps.ts';
import { plainName } from '../values.ts';

const positions = /^(position|order|rank|index|sequence|sortorder|place)$/;
const consecutive = /\b(consecutive|contiguous|gaps?|move up|moves up|shift(s|ed)?|renumber\w*)\b/i;
const count = 5;

/** The field with the position of an item, if the document says that positions have no gaps. */
export function positionIn(resource: Resource, run: Resources): string | undefined {
  const { listed, parent, remove, create } = resource;
  const [name] =
    Object.entries(fieldsOf(listed)).find(
      ([each, { type }]) => type === 'integer' && positions.test(plainName(each)),
    ) ?? [];
  const operations = [create, remove, ...actionsOf(resource, run)].flatMap((each) => each?.operation.description ?? []);
  const { description = '' } = (fieldsOf(listed)[name ?? ''] ?? {}) as { description?: string };
  return parent?.create && isBelowParent(resource) && consecutive.test([...operations, description].join())
    ? name
    : undefined;
}

export async function checkPositions(model: Model, resource: Resource, field: string): Promise<void> {
  const { parent, remove } = resource as Resource & { parent: Resource };
  const { at } = await model.create(parent);
  const items: Item[] = [];
  while (items.length < count) {
    const { item, response } = await model.tryCreate(resource, await model.body(resource), { at });
    if (!item) refusedWith('several items of one owner', response);
    items.push(item);
  }
  const shown = async () => {
    const { items: all, ids, last } = await model.listAll(resource, { at });
    const places = ids
      .map((id, index) => [Number(all[index]?.[field]), id] as const)
      .sort(([one], [other]) => one - other);
    return { places, last };
  };
  const { places: before } = await shown();
  const [[least] = [1]] = before;
  let order = before.map(([, id]) => id);
  const expectOrder = async (when: string) => {
    const { places, last } = await shown();
    const numbers = places.map(([place]) => place);
    if (numbers.some((place, index) => place !== least + index))
      fail(`${field} is ${told(numbers)} of ${numbers.length} items after ${when}`, last);
    const wrong = places.findIndex(([, id], index) => id !== order[index]);
    if (wrong >= 0) fail(`${order[wrong]} should have the ${field} ${least + wrong} after ${when}`, last);
  };
  await expectOrder('they were created');
  const isMove = ({ payload }: Baseline) => fieldsOf(payload?.schema)[field] !== undefined;
  for (const move of actionsOf(resource, model.run).filter(
    (each) => isMove(each) && !/\bswap/i.test(each.operation.description),
  ))
    for (const [from, to] of [
      [0, 3],
      [4, 1],
    ] as const) {
      const item = items.find(({ id }) => id === order[from]);
      if (!item || !isSuccess(await model.send(move, { at: item.at, body: { [field]: least + to } }))) continue;
      order = order.filter((id) => id !== item.id).toSpliced(to, 0, item.id);
      await expectOrder(move.operation.operationId);
    }
  const second = items.find(({ id }) => id === order[1]);
  if (!remove || !second || !isSuccess(await model.remove(second))) return;
  order = order.filter((id) => id !== second.id);
  await expectOrder('one was removed');
}
