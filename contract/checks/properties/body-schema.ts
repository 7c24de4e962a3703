import type { Check } from '../../run/model.ts';
import type { Baseline } from '../baseline.ts';
import { defineCheck } from '../define-check.ts';
import { expectStatus, expectSuccess } from '../expect.ts';
import type { JsonBody } from '../json-body.ts';
import { plainlyInvalidBodies } from '../plainly-invalid-bodies.ts';
import { unmetPrecondition } from '../unmet-precondition.ts';
import type { Mutation } from '../schema/mutation.ts';
import { mutationsOf } from '../schema/mutations.ts';

/**
 * A check for each mutation of the operation's valid body: refused, or accepted. Of another API, a valid body may break rules
 * that its document cannot say, and an accepted one is not taken back, so that only plainly invalid ones are sent.
 */
export function bodySchemaChecks(baseline: Baseline): Check[] {
  const { json, isOwn, refusals } = baseline;
  if (!json) return [];
  const mutations = isOwn
    ? mutationsOf(json.schema, json.valid).filter(({ value }) => json.fits(JSON.stringify(value)))
    : refusals.invalid.length > 0
      ? plainlyInvalidBodies(baseline)
      : [];
  return mutations.map((mutation) => mutationCheck(baseline, json, mutation));
}

function mutationCheck(baseline: Baseline, json: JsonBody, { name, value, lacks }: Mutation): Check {
  const accepted = json.faultsOf(value).length === 0;
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return defineCheck(baseline, {
    name: `body.${name}`,
    title: `a body changed by ${name} is ${accepted ? 'accepted' : 'refused'}`,
    needs: [...baseline.needs, ...(lacks === undefined ? [] : [unmetPrecondition(lacks)])],
    ...(!accepted && isObject && { refuses: 'object' as const }),
    run: async (context) => {
      const response = await context.call(baseline.request(context, { body: JSON.stringify(value) }));
      if (accepted) expectSuccess(baseline, response);
      else expectStatus(response, ...baseline.refusals.invalid);
    },
  });
}
