/** The transitions between the states of an item that a description lists, in a table or with arrows: each succeeds, and no other does. */
import { isDeepStrictEqual } from 'node:util';
import { literally } from '../../document/match.ts';
import { fieldsOf, requiredFieldsOf } from '../../document/schemas.ts';
import type { Baseline } from '../../plan/baseline.ts';
import { told } from '../../oracle/json.ts';
import { fail, isSuccess, type Item, unmet } from '../exchange.ts';
import type { Model } from '../model.ts';
import { type Resource, type Resources } from '../resources.ts';
import { type Fields, pick } from '../values.ts';
import { refusalOf } from '../said.ts';
import { actionsOf } from '../steps.ts';
import { expectConflicts } from './actions.ts';
import { entityFields } from '../identity.ts';

export interface Transitions {
  /** The operation whose body has the next state. */
  readonly by: Baseline;
  readonly field: string;
  readonly states: readonly string[];
  /** By a state, those that may follow it. */
  readonly allowed: ReadonlyMap<string, readonly string[]>;
  /** Whether the description says that there are no others. */
  readonly isComplete: boolean;
}

const complete =
  /\b(any|no|every|all) others?\b|\banything else\b|\bonly (these|the following)\b|\ballowed transitions\b|\bfollowing\b|\bother (?:changes|transitions)\b[^.]*\b(?:refused|rejected|not (?:allowed|possible))\b/i;
const arrow = /\s*(?:→|->|=>|➔|⇒)\s*/;

export function transitionsOf(resource: Resource, run: Resources): Transitions[] {
  const shown = entityFields(resource);
  return [resource.change ?? [], ...actionsOf(resource, run)].flat().flatMap((by): Transitions[] => {
    const fields = Object.entries(fieldsOf(by.payload?.schema));
    return fields.flatMap(([field, { enum: values = [], description = '' }]: [string, Described]): Transitions[] => {
      const { [field]: own }: Record<string, Described> = shown;
      const states = values.filter((each): each is string => typeof each === 'string');
      if (states.length < 3 || !own || !isDeepStrictEqual(new Set(own.enum), new Set(values))) return [];
      const text = [by.operation.description, description, own.description ?? ''].join('\n');
      const allowed = allowedIn(text, states);
      return allowed.size < 2 ? [] : [{ by, field, states, allowed, isComplete: complete.test(text) }];
    });
  });
}

type Described = ReturnType<typeof fieldsOf>[string] & { readonly description?: string };

function allowedIn(text: string, states: readonly string[]): Map<string, readonly string[]> {
  const allowed = new Map<string, string[]>();
  const statesIn = (part = '') => states.filter((state) => new RegExp(`\\b${literally(state)}\\b`).test(part));
  const add = (from: readonly string[], to: readonly string[]) => {
    const [state, ...others] = from;
    if (state !== undefined && others.length === 0)
      allowed.set(state, [...(allowed.get(state) ?? []), ...to.filter((each) => each !== state)]);
  };
  for (const line of text.split('\n')) {
    const [, first = '', second = ''] = /^\s*\|([^|]*)\|([^|]*)\|/.exec(line) ?? [];
    if (first !== '') add(statesIn(first), /^\s*(none|nothing|no|-|–|—)\b/i.test(second) ? [] : statesIn(second));
    else if (arrow.test(line)) {
      const parts = line.split(arrow);
      // As in "open → pending, solved", or "draft → sent → paid".
      const chains = parts.length === 2 ? [parts] : line.split(/[;,]/).map((chain) => chain.split(arrow));
      for (const chain of chains)
        for (const [at, part] of chain.slice(0, -1).entries()) add(statesIn(part).slice(-1), statesIn(chain[at + 1]));
    }
  }
  return allowed;
}

/** Says that a refusal is due to the transition, and to nothing else. */
const ofTransition = /^(?!.*( or |[,;])).*\b(transition|state|status|allowed)\b/i;

/** Walks into each state that can be reached, and tries every other one from there. @param others that a state may forbid */
export async function checkTransitions(
  model: Model,
  resource: Resource,
  transitions: Transitions,
  others: readonly Baseline[],
): Promise<void> {
  const { by, field, states, allowed, isComplete } = transitions;
  const move = async (item: Item, to: string) => {
    const { schema = {}, valid } = by.payload ?? {};
    const body = { ...pick((valid ?? {}) as Fields, requiredFieldsOf(schema)), [field]: to };
    return model.send(by, { at: item.at, body, headers: await model.matching(item, by) });
  };
  const { entity: fresh = {} } = await model.find(await model.create(resource));
  const refusal = refusalOf(by).replaceAll(/`[^`]*`/g, '');
  const first = fresh[field];
  if (typeof first !== 'string' || !states.includes(first)) unmet(`missing: ${field} of what was created`);
  const paths = new Map<string, readonly string[]>([[first, []]]);
  for (const [from, path] of paths)
    for (const to of states.filter((each) => each !== from)) {
      const item = await model.create(resource);
      for (const step of path) await move(item, step);
      const response = await move(item, to);
      const isAllowed = allowed.get(from)?.includes(to) === true;
      if (isAllowed && response.status === 409 && ofTransition.test(refusal))
        fail(`expected ${to} after ${from}, which the document allows, got 409`, response);
      if (isSuccess(response) && !isAllowed && isComplete)
        fail(`expected ${to} after ${from} to be refused, got ${response.status}`, response);
      if (!isSuccess(response) || !isAllowed) continue;
      const { entity, response: read } = await model.find(item);
      if (entity?.[field] !== to) fail(`${field} is ${told(entity?.[field])} after it was set to ${to}`, read);
      if (paths.has(to)) continue;
      paths.set(to, [...path, to]);
      await expectConflicts(model, item, others, `${field} was set to ${to}`);
    }
}
