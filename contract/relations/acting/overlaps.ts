/** Relations of what takes a span of time that nothing else may have: each way of overlapping conflicts, and what lies apart does not. */
import { fieldsOf } from '../../document/schemas.ts';
import type { Baseline } from '../../plan/baseline.ts';
import type { HttpResponse } from '../../run/model.ts';
import { fail, isSuccess, refusedWith, unmet } from '../exchange.ts';
import type { Model } from '../model.ts';
import type { Resource } from '../resources.ts';
import { actionsOf } from '../steps.ts';
import { type Fields, pick, plainName } from '../values.ts';

const overlapping = /\boverlap\w*/i;
/** Says that what begins as another one ends does not overlap it. */
const touching =
  /\b(half-?open|exclusive|back[- ]to[- ]back)\b|\b(touch\w*|adjacent|start\w*|begin\w*|ends?)\b[^.]*\b(do(es)? not|don't|doesn't|is no|are no|no) (overlap|conflict)\w*/i;
const freeing = /\b(frees?|releases?|no longer (blocks?|overlaps?|takes?|occup\w+)|available again)\b/i;

const minute = 60_000;
const day = 24 * 60 * minute;
/** Later than what other relations create. */
const firstDay = 33;

/** The fields of a body in which a span of time begins and ends. */
export interface Span {
  readonly start: string;
  readonly end: string;
  readonly isTime: boolean;
}

/** The span that a creation has, if the document says that two of them conflict if they overlap. */
export function spanOf({ create }: Resource): Span | undefined {
  const { operation, payload } = create ?? {};
  const fields = Object.entries(fieldsOf(payload?.schema));
  const said = [operation?.description, operation?.responses['409']?.description, JSON.stringify(fields)].join(' ');
  const named = (names: RegExp, like?: string) =>
    fields.find(
      ([name, { format = '' }]) =>
        names.test(plainName(name)) && /^date(-time)?$/.test(format) && (like === undefined || format === like),
    );
  const [start = '', { format = '' } = {}] = named(/^(start|from|begin|checkin|arriv|pickup|since)/) ?? [];
  const [end = ''] = named(/^(end|to|until|till|finish|checkout|depart|return|due)/, format) ?? [];
  const isPromised = operation?.responses['409'] !== undefined && overlapping.test(said);
  return isPromised && start !== '' && end !== '' ? { start, end, isTime: format === 'date-time' } : undefined;
}

export async function checkOverlaps(model: Model, resource: Resource, { start, end, isTime }: Span): Promise<void> {
  const create = resource.create as Baseline;
  const { operation } = create;
  const { at } = await model.create(resource);
  const first = await model.body(resource);
  const named = pick(
    first,
    model.referencesIn(first, resource).map(([name]) => name),
  );
  const [unit, given] = [isTime ? minute : day, [start, end].map((name) => Date.parse(String(first[name])))];
  const [from = NaN, to = NaN] = given;
  const length = Math.max(to - from, unit);
  const quarter = Math.max(unit, Math.round(length / 4 / unit) * unit);
  let begin = from + firstDay * day;
  const textOf = (time: number) => new Date(time).toISOString().slice(0, isTime ? 19 : 10) + (isTime ? 'Z' : '');
  const send = async (texts: readonly [string, string]) => {
    const body: Fields = { ...(await model.body(resource)), ...named, [start]: texts[0], [end]: texts[1] };
    const owner = Object.fromEntries(Object.entries(at).filter(([name]) => name !== resource.parameter.name));
    return model.tryCreate(resource, body, { at: owner });
  };
  const take = (one: number, other: number) => send([textOf(one), textOf(other)]);
  const finish = () => begin + length;
  const { item, response } = await take(begin, finish());
  if (!item) return refusedWith('a body whose span of time is free', response);
  const again = await take(begin, finish());
  if (again.response.status !== 409) unmet('missing: a second item of the same span that conflicts');
  const inOtherOffset = (time: number) => textOf(time + 9 * 60 * minute).replace('Z', '+09:00');
  const ways: (readonly [what: string, sent: () => Promise<{ response: HttpResponse }>])[] = [
    ['begins before it and ends in it', () => take(begin - quarter, begin + quarter)],
    ['begins in it and ends after it', () => take(finish() - quarter, finish() + quarter)],
    ['encloses it', () => take(begin - quarter, finish() + quarter)],
    ['lies in it', () => take(begin + quarter, finish() - quarter)],
    ['is the same in another offset', () => send([inOtherOffset(begin), inOtherOffset(finish())])],
  ];
  for (const [what, sent] of ways.slice(0, isTime ? 5 : 3)) {
    const other = (await sent()).response;
    if (isSuccess(other)) fail(`a span of time that ${what} is accepted beside another`, other);
  }
  const apart = (await take(finish() + 2 * length, finish() + 3 * length)).response;
  if (apart.status === 409) fail('a span of time that lies apart from all others conflicts', apart);
  const said = [operation.description, operation.responses['409']?.description].join('. ');
  for (const [one, other] of touching.test(said)
    ? [
        [begin - length, begin],
        [finish(), finish() + length],
      ]
    : []) {
    const beside = (await take(one ?? 0, other ?? 0)).response;
    if (beside.status === 409) fail('a span of time that touches another one conflicts', beside);
  }
  begin += 10 * length + day;
  const { item: freed } = await take(begin, finish());
  const action = actionsOf(resource, model.run).find(({ operation: each }) =>
    freeing.test(`${each.summary} ${each.description}`),
  );
  if (!freed || !action || !isSuccess(await model.send(action, { at: freed.at, body: action.payload?.valid }))) return;
  const next = (await take(begin, finish())).response;
  if (next.status === 409) fail(`a span of time still conflicts after ${action.operation.operationId}`, next);
}
