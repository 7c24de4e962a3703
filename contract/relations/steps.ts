/** What brings an item into another state: an action on it, or a change to a value of a state. */
import { fieldsOf } from '../document/schemas.ts';
import type { Baseline } from '../plan/baseline.ts';
import type { Resource, Resources } from './resources.ts';
import { isMoving } from './values.ts';

/** The actions on one item, as `/orders/{id}/pay` or `/orders/{id}:pay`. */
export function actionsOf({ path: item }: Resource, { baselines, resources }: Resources): Baseline[] {
  return baselines.filter((each) => {
    const { method, path } = each.operation;
    const isBelow = path.startsWith(item) && /^[/:][^{/]+$/.test(path.slice(item.length));
    // What an action makes of an item may be one of another kind.
    const isCreation = resources.some(({ create }) => create === each && each.payload !== undefined);
    return method === 'post' && isBelow && !isCreation;
  });
}

/** What may bring an item into another state: an action, or a change to a value of a state. */
export interface Step {
  readonly by: Baseline;
  readonly body: unknown;
}

export function stepsOf({ change }: Resource, actions: readonly Baseline[]): Step[] {
  const states = Object.entries(fieldsOf(change?.payload?.schema)).flatMap(([name, { enum: values = [] }]) =>
    isMoving(name) ? values.map((value) => ({ [name]: value })) : [],
  );
  return [
    ...actions.map((by) => ({ by, body: by.payload?.valid })),
    ...states.flatMap((body) => (change && change.payload?.faultsOf(body).length === 0 ? [{ by: change, body }] : [])),
  ];
}
