/** Relations of what a body refers to: who refuses what refers to nothing, refuses what another tenant made. */
import type { Baseline } from '../plan/baseline.ts';
import { isPrivate } from './access.ts';
import { fail, isSuccess, typed } from './exchange.ts';
import type { Model } from './model.ts';
import type { Resource } from './resources.ts';
import { createdByOther } from './state.ts';
import { fieldsOf } from '../document/schemas.ts';

/** A server need not look at what a body refers to; one that looks whether it is there must look whose it is. */
export async function checkReferring(model: Model, resource: Resource, about: Baseline): Promise<void> {
  const { payload, operation } = about;
  const isPromised = operation.responses['404'] !== undefined && !operation.path.includes('{');
  const { at } = await model.create(resource);
  const isCreation = about === resource.create;
  const fields = fieldsOf(payload?.schema);
  const texts = Object.keys(fields).filter((name) => fields[name]?.type === 'string');
  const body = isCreation ? await model.body(resource) : {};
  const all = { ...Object.fromEntries(texts.map((name) => [name, ''])), ...body };
  const isAccepted = async (name: string, id: string) => {
    const named = { ...body, [name]: typed(all[name], id) };
    if (payload?.faultsOf(named).length !== 0) return undefined;
    const { item, response } = isCreation
      ? await model.tryCreate(resource, named)
      : { item: undefined, response: await model.send(about, { at, body: named }) };
    if (response.status >= 500) fail(`a body that refers to nothing gets ${response.status}`, response);
    return (isCreation ? item !== undefined : isSuccess(response)) ? response : false;
  };
  for (const [name, other] of model.referencesIn(all, resource, { isNaming: true, fields })) {
    const unknown = await isAccepted(name, model.chosenId(other.parameter.schema));
    if (unknown && isPromised) fail(`${name}, which refers to nothing, is accepted`, unknown);
    if (unknown !== false || !isPrivate(other.create)) continue;
    const foreign = await createdByOther(model, other);
    const response = foreign && (await isAccepted(name, foreign.id));
    if (response) fail(`${name}, which names what another tenant made, is accepted`, response);
  }
}
