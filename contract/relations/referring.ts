/** Relations of what a body refers to: it is there, it is one's own, and it goes with what else the body names. */
import { createdByOther } from './state.ts';
import type { Baseline } from '../plan/baseline.ts';
import { isPrivate } from './access.ts';
import { fail, isSuccess, typed } from './exchange.ts';
import { type Model } from './model.ts';
import { type Resource } from './resources.ts';
import type { Schema } from '../document/model.ts';
import { fieldsOf } from '../document/schemas.ts';

/** Says that something is refused because it refers to nothing. */
const unknown = /no such|unknown|(not|n't) (exist|found|known)/i;

/** Says that a field refers to what there is. */
const existing = /\bexisting\b|\bmust exist\b|\botherwise\b[^.]*\b(4\d\d|refused)\b/i;

/** Says that what a field refers to must not have been removed. */
const removed = /\b(not|is|was|been) (deleted|removed|archived)\b/i;

/** Says that two fields must not name the same. */
const different =
  /\bother than\b|\bdifferent from\b|\btwo different\b|\b(are|be|is|not) the same\b|\bto itself\b|\bmust differ\b/i;

/** A server need not look at what a body refers to, unless the document has a refusal for it. */
export async function checkReferring(model: Model, resource: Resource, about: Baseline): Promise<void> {
  const { payload, operation } = about;
  const { at } = await model.create(resource);
  const isCreation = about === resource.create;
  const fields: Readonly<Record<string, Schema & { description?: string }>> = fieldsOf(payload?.schema);
  const texts = Object.keys(fields).filter((name) => fields[name]?.type === 'string');
  const body = isCreation ? await model.body(resource) : {};
  const all = { ...Object.fromEntries(texts.map((name) => [name, ''])), ...body };
  const told = Object.values(operation.responses).map(({ description }) => description);
  const send = async (name: string, id: string) => {
    const named = { ...body, [name]: typed(all[name], id) };
    if (payload?.faultsOf(named).length !== 0) return undefined;
    const { item, response } = isCreation
      ? await model.tryCreate(resource, named)
      : { item: undefined, response: await model.send(about, { at, body: named }) };
    if (response.status >= 500) fail(`a body that refers to nothing gets ${response.status}`, response);
    return { isAccepted: isCreation ? item !== undefined : isSuccess(response), response };
  };
  const named = new Map(model.referencesIn(all, resource, { isNaming: true, fields }));
  for (const [name, other] of named) {
    const unnamed = await send(name, model.chosenId(other.parameter.schema));
    if (!unnamed) continue;
    const isNamed =
      existing.test(fields[name]?.description ?? '') ||
      told.some((each) => unknown.test(each) && each.toLowerCase().includes(other.name));
    if (unnamed.isAccepted && isNamed) fail(`${name}, which refers to nothing, is accepted`, unnamed.response);
    const isOfRemoved = told.concat(fields[name]?.description ?? '').some((each) => removed.test(each));
    if (other.remove && isOfRemoved && !unnamed.isAccepted) {
      const gone = await model.create(other);
      const response = isSuccess(await model.remove(gone)) ? await send(name, gone.id) : undefined;
      if (response?.isAccepted === true) fail(`${name}, which names what was removed, is accepted`, response.response);
    }
    await checkPair(name, other);
    // Who looks whether there is such an item must look whose it is.
    const foreign = !unnamed.isAccepted && isPrivate(other.create) && (await createdByOther(model, other));
    const given = foreign ? await send(name, foreign.id) : undefined;
    if (given?.isAccepted === true) fail(`${name}, which names what another tenant made, is accepted`, given.response);
  }

  /** What two fields name are two items, which have a field in common, if the document says so. */
  async function checkPair(name: string, of: Resource): Promise<void> {
    const [, first = ''] =
      Object.entries(body).find(([each, id]) => each !== name && named.get(each) === of && id) ?? [];
    const ofFields = Object.values(fields).map(({ description = '' }) => description);
    const said = [operation.description, ...told, ...ofFields].join('. ');
    if (!isCreation || first === '') return;
    const same = different.test(said) ? await send(name, String(first)) : undefined;
    if (same?.isAccepted === true) fail(`${name} is accepted though it names the same as another field`, same.response);
    for (const [field, { enum: values = [] }] of Object.entries(of.sent.properties)) {
      const words = `${field.replace(/y$/, '(?:y|ie)')}s?`;
      if (values.length < 2 || !new RegExp(`\\bsame ${words}\\b|\\b${words} (differ|must match)`, 'i').test(said))
        continue;
      const made = await model.body(of, undefined, 'given texts');
      const { item } = await model.tryCreate(of, { ...made, [field]: values.find((each) => each !== made[field]) });
      const differing = item && (await send(name, item.id));
      if (differing?.isAccepted === true)
        fail(`${name} is accepted though what it names has another ${field}`, differing.response);
    }
  }
}
