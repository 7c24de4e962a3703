import type { Check } from '../../run/model.ts';
import type { Baseline } from '../baseline.ts';
import { defineCheck } from '../define-check.ts';
import { expectStatus } from '../expect.ts';
import type { JsonBody } from '../json-body.ts';
import { unmetPrecondition } from '../unmet-precondition.ts';
import type { Mutation } from '../schema/mutation.ts';
import { mutationsOf } from '../schema/mutations.ts';

/** A check for each mutation of the operation's valid body: refused with 400, or accepted. */
export function bodySchemaChecks(baseline: Baseline): Check[] {
  const { json } = baseline;
  if (!json) return [];
  return mutationsOf(json.schema, json.valid)
    .filter(({ value }) => json.fits(JSON.stringify(value)))
    .map((mutation) => mutationCheck(baseline, json, mutation));
}

function mutationCheck(baseline: Baseline, json: JsonBody, { name, value, lacks }: Mutation): Check {
  const accepted = json.faultsOf(value).length === 0;
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  const status = accepted ? baseline.success : 400;
  return defineCheck(baseline, {
    name: `body.${name}`,
    title: `a body changed by ${name} is ${accepted ? 'accepted' : 'refused with 400'}`,
    needs: [...baseline.needs, ...(lacks === undefined ? [] : [unmetPrecondition(lacks)])],
    ...(!accepted && isObject && { refuses: 'object' as const }),
    run: async (context) => {
      const response = await context.call(baseline.request(context, { body: JSON.stringify(value) }));
      expectStatus(response, status, baseline.conflict);
    },
  });
}
