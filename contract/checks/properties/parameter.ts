import { textsOfParameter, valueOfParameter } from '../../conformance/text-value.ts';
import type { Parameter } from '../../document/model.ts';
import type { Check, RequestSpec } from '../../run/model.ts';
import { type Baseline, withQuery } from '../baseline.ts';
import { defineCheck } from '../define-check.ts';
import { expectSameResponse } from '../deterministic-baseline.ts';
import { expectNoFailure, expectStatus, expectSuccess } from '../expect.ts';
import { queryOf, valueOf } from '../parameters.ts';
import { mutationsOf } from '../schema/mutations.ts';
import { lenientOracleOf, oracleOf } from '../schema/oracle.ts';
import { sampleOf } from '../schema/sample.ts';
import { isNamedValue, isPlainlyInvalid } from '../schema/telling.ts';

/**
 * Checks each query and header parameter: its type, bounds, values and default, and that a required one must be
 * present.
 */
export function parameterChecks(baseline: Baseline): Check[] {
  return baseline.operation.parameters
    .filter(({ in: place }) => place === 'query' || place === 'header')
    .flatMap((parameter) => [
      ...valueChecks(baseline, parameter),
      ...repetitionChecks(baseline, parameter),
      ...missingChecks(baseline, parameter),
      ...defaultChecks(baseline, parameter),
    ]);
}

/** The texts that a parameter is sent as. */
export interface ParameterTexts {
  readonly name: string;
  readonly texts: readonly string[];
  readonly valid: boolean;
  /** Whether every server that validates requests refuses it. */
  readonly isPlainlyInvalid: boolean;
}

/** The texts that differ from a valid value in one respect, each with whether the document allows it. */
export function parameterTexts(parameter: Parameter): ParameterTexts[] {
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

function valueChecks(baseline: Baseline, parameter: Parameter): Check[] {
  const { isOwn, refusals } = baseline;
  const isPromised = (each: ParameterTexts) =>
    isOwn || (each.valid ? isNamedValue(each) : refusals.invalid.length > 0 && each.isPlainlyInvalid);
  return parameterTexts(parameter)
    .filter(isPromised)
    .map(({ name, texts, valid }) => {
      return defineCheck(baseline, {
        name: `${parameter.in}-parameter.${parameter.name}.${name}`,
        title: `${parameter.name} with the value ${name} is ${valid ? 'accepted' : 'refused'}`,
        run: async (context) => {
          const response = await context.call(withValue(baseline, context, parameter, texts));
          // A string may have a meaning that the document cannot state, such as a cursor.
          if (valid && isFreeText(parameter)) expectNoFailure(response);
          // In another API, the page or the filter may have no results.
          else if (valid && !isOwn && response.status === 404) return;
          else if (valid) expectSuccess(baseline, response);
          else expectStatus(response, ...refusals.invalid);
        },
      });
    });
}

function isFreeText({ schema }: Parameter): boolean {
  const { type, enum: values } = schema.type === 'array' ? (schema.items ?? {}) : schema;
  return values === undefined && !['integer', 'number', 'boolean'].includes(type ?? '');
}

function repetitionChecks(baseline: Baseline, parameter: Parameter): Check[] {
  const value = parameterTexts(parameter).find(({ valid }) => valid)?.texts[0];
  if (parameter.in !== 'query' || parameter.schema.type === 'array' || value === undefined) return [];
  return [
    defineCheck(baseline, {
      name: `query-parameter.${parameter.name}.repeated`,
      title: `${parameter.name} sent twice is refused with 400, because it has one value`,
      source: 'decision',
      run: async (context) => {
        expectStatus(await context.call(withValue(baseline, context, parameter, [value, value])), 400);
      },
    }),
  ];
}

function missingChecks(baseline: Baseline, parameter: Parameter): Check[] {
  const { responses } = baseline.operation;
  // A missing precondition header may have a status of its own (RFC 6585, section 3), or that of a false condition.
  const required = parameter.in === 'header' && responses['428'] ? [428] : baseline.refusals.invalid;
  const invalid = /^if-/i.test(parameter.name) && responses['412'] ? [...required, 412] : required;
  if (!parameter.required || invalid.length === 0) return [];
  return [
    defineCheck(baseline, {
      name: `${parameter.in}-parameter.${parameter.name}.missing`,
      title: `a request without ${parameter.name} is refused`,
      run: async (context) => {
        expectStatus(await context.call(without(baseline, context, parameter)), ...invalid);
      },
    }),
  ];
}

function defaultChecks(baseline: Baseline, parameter: Parameter): Check[] {
  const texts = textsOfParameter(parameter, parameter.schema.default);
  const isSound = oracleOf(parameter.schema)(parameter.schema.default).length === 0;
  if (parameter.required || !texts || !isSound || baseline.operation.method !== 'get') return [];
  return [
    defineCheck(baseline, {
      name: `${parameter.in}-parameter.${parameter.name}.default`,
      title: `${parameter.name} has its default value if it is absent`,
      run: (context) =>
        expectSameResponse(baseline, () => context.call(baseline.request(context)), [
          () => context.call(withValue(baseline, context, parameter, texts)),
        ]),
    }),
  ];
}

type Context = Parameters<Check['run']>[0];

/** The request with this value of the parameter instead of its own. */
function withValue(baseline: Baseline, context: Context, parameter: Parameter, texts: readonly string[]): RequestSpec {
  const { name } = parameter;
  const request = without(baseline, context, parameter);
  if (parameter.in === 'query') return { ...request, path: withQuery(request.path, queryOf([{ name, texts }])) };
  return { ...request, headers: [...(request.headers ?? []), [name, texts.join(',')]] };
}

function without(baseline: Baseline, context: Context, { name, in: place }: Parameter): RequestSpec {
  if (place === 'query') return baseline.request(context, { path: pathWithout(baseline, context, name) });
  const request = baseline.request(context);
  return {
    ...request,
    headers: (request.headers ?? []).filter(([header]) => header.toLowerCase() !== name.toLowerCase()),
  };
}

function pathWithout(baseline: Baseline, context: Context, name: string): string {
  const [path = '', query = ''] = baseline.path(context).split('?');
  const kept = query.split('&').filter((pair) => pair !== '' && !pair.startsWith(`${encodeURIComponent(name)}=`));
  return kept.length === 0 ? path : `${path}?${kept.join('&')}`;
}
