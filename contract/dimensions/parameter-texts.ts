/** The texts that query and header parameters are sent as: valid and invalid ones at every bound, none, and the default. */
import { lenientOracleOf, oracleOf } from '../oracle/schema.ts';
import { textsOfParameter, valueOfParameter } from '../oracle/parameters.ts';
import type { Parameter } from '../document/model.ts';
import { type Baseline, isSuccessOf, withQuery } from '../plan/baseline.ts';
import { queryOf, valueOf } from '../plan/parameters.ts';
import type { RequestSpec } from '../run/model.ts';
import { type Ask, ask, type Choice, type Documented } from './choice.ts';
import { sampleOf } from './samples.ts';
import { isNamedValue, isPlainlyInvalid, mutationsOf } from './values.ts';

/** The texts that a parameter is sent as. */
interface ParameterTexts {
  readonly name: string;
  readonly texts: readonly string[];
  readonly valid: boolean;
  /** Whether every server that validates requests refuses it. */
  readonly isPlainlyInvalid: boolean;
}

/** The texts that differ from a valid value in one respect, each with whether the document allows it. */
function parameterTexts(parameter: Parameter): ParameterTexts[] {
  const { schema } = parameter;
  const valid = valueOf(parameter) ?? sampleOf(schema);
  const isValid = oracleOf(schema);
  const isLeniently = lenientOracleOf(schema);
  const found = new Map<string, ParameterTexts>();
  // If several mutations have the same text, the last is the most specific: a bound rather than a number.
  for (const { name, value } of [...mutationsOf(schema, valid), { name: 'valid', value: valid }]) {
    const texts = textsOfParameter(parameter, value);
    // Some servers treat an empty value as absent, others as an empty string.
    if (!texts || texts.some((text) => text === '' || !canBeSent(parameter, text))) continue;
    const read = valueOfParameter(parameter, texts);
    const isPlain = isPlainlyInvalid({ name }) && isLeniently(read).length > 0;
    found.set(JSON.stringify(texts), { name, texts, valid: isValid(read).length === 0, isPlainlyInvalid: isPlain });
  }
  return [...found.values()];
}

function canBeSent({ in: place }: Parameter, text: string): boolean {
  return place === 'query' ? text.length < 4000 : /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text);
}

/** Asks with each value of each query and header parameter, and without those that are required. */
export function parameterAsks(baseline: Baseline): Ask[] {
  const { operation, isOwn, refusals } = baseline;
  const { responses } = operation;
  return sentParameters(baseline).flatMap((parameter) => {
    const { name, in: place, required } = parameter;
    const of = (what: string, texts: readonly string[], documented: Documented | undefined, source: Ask['source']) =>
      ask(`with ${what} as the ${place} parameter ${name}`, () => ({}), {
        source,
        edit: (request) => withTexts(request, parameter, texts),
        ...(documented && { documented }),
      });
    const all = parameterTexts(parameter);
    const isPromised = (each: ParameterTexts) =>
      isOwn || (each.valid ? isNamedValue(each) : refusals.invalid.length > 0 && each.isPlainlyInvalid);
    const invalid: Documented = { promise: 'parameters', statuses: refusals.invalid };
    const twice = isOwn && place === 'query' && parameter.schema.type !== 'array' && all.find(({ valid }) => valid);
    // A missing precondition header may have a status of its own (RFC 6585, section 3), or that of a false condition.
    const missing = place === 'header' && responses['428'] ? [428] : refusals.invalid;
    const statuses = /^if-/i.test(name) && responses['412'] ? [...missing, 412] : missing;
    return [
      ...all.filter(isPromised).map(({ name: value, texts, valid }) => {
        const isFree = valid && isFreeText(parameter);
        const documented = valid ? acceptedValue(baseline, isFree) : invalid;
        return of(`the value ${value}`, texts, isOwn && !isFree ? undefined : documented, 'document');
      }),
      ...(twice ? [of('two values', [...twice.texts, ...twice.texts], undefined, 'decision')] : []),
      ...(required && statuses.length > 0 ? [of('nothing', [], { promise: 'parameters', statuses }, 'document')] : []),
    ];
  });
}

function sentParameters({ operation }: Pick<Baseline, 'operation'>): Parameter[] {
  return operation.parameters.filter(({ in: place }) => place === 'query' || place === 'header');
}

/** A string may have a meaning that the document cannot state, such as a cursor; a page or a filter may have no results. */
function acceptedValue(baseline: Baseline, isFree: boolean): Documented {
  const isEither = (status: number) => [2, 4].includes(Math.floor(status / 100));
  const isFound = (status: number) => status === 404 || isSuccessOf(baseline, status);
  return { promise: 'success', statuses: [baseline.success], also: isFree ? isEither : isFound };
}

/** Sending the default of an optional parameter: it changes nothing. */
export function defaultChoices(baseline: Baseline): Choice[] {
  if (baseline.operation.method !== 'get') return [];
  return sentParameters(baseline).flatMap((parameter): Choice[] => {
    const { name, required, schema, value } = parameter;
    const isSound = !required && value === undefined && oracleOf(schema)(schema.default).length === 0;
    const texts = isSound ? textsOfParameter(parameter, schema.default) : undefined;
    if (!texts) return [];
    const apply: Choice['apply'] = (request) => withTexts(request, parameter, texts);
    return [{ name: `${name}=${texts.join()}, its default`, source: 'document', apply }];
  });
}

/** Whether a text may have a meaning that the document cannot state, such as a cursor. */
function isFreeText({ schema }: Parameter): boolean {
  const { type, enum: values } = schema.type === 'array' ? (schema.items ?? {}) : schema;
  return values === undefined && !['integer', 'number', 'boolean'].includes(type ?? '');
}

/** A request with these texts of a parameter in place of its own; without any, it is left out. */
function withTexts(request: RequestSpec, { name, in: place }: Parameter, texts: readonly string[] = []): RequestSpec {
  if (place === 'header') {
    const others = (request.headers ?? []).filter(([header]) => header.toLowerCase() !== name.toLowerCase());
    return { ...request, headers: [...others, ...(texts.length === 0 ? [] : [[name, texts.join(',')] as const])] };
  }
  const [path = '', query = ''] = request.path.split('?');
  const kept = query.split('&').filter((pair) => pair !== '' && !pair.startsWith(`${encodeURIComponent(name)}=`));
  const added = texts.length === 0 ? [] : [queryOf([{ name, texts }])];
  return { ...request, path: [...kept, ...added].reduce(withQuery, path) };
}
