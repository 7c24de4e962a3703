import type { Check } from '../../run/model.ts';
import type { Baseline } from '../baseline.ts';
import { defineCheck } from '../define-check.ts';
import { expectStatus, expectSuccess } from '../expect.ts';
import { type MutatedBody, plainlyInvalidBodies } from '../plainly-invalid-bodies.ts';
import { unmetPrecondition } from '../unmet-precondition.ts';
import { mutationsOf } from '../schema/mutations.ts';

/**
 * A check for each mutation of the operation's valid body, which must be refused or accepted. For another API only
 * plainly invalid bodies are sent: a valid one may break rules that its document cannot state, and its effects are not
 * undone.
 */
export function bodySchemaChecks(baseline: Baseline): Check[] {
  const { isOwn, refusals } = baseline;
  if (isOwn) return ownBodies(baseline).map(({ accepted, ...body }) => mutationCheck(baseline, body, accepted));
  return refusals.invalid.length === 0
    ? []
    : plainlyInvalidBodies(baseline).map((body) => mutationCheck(baseline, body, false));
}

function ownBodies({ json }: Baseline): (MutatedBody & { accepted: boolean })[] {
  if (!json) return [];
  return mutationsOf(json.schema, json.valid)
    .map((mutation) => ({
      ...mutation,
      text: json.textOf(mutation.value),
      accepted: json.faultsOf(mutation.value).length === 0,
    }))
    .filter(({ text }) => json.fits(text));
}

function mutationCheck(baseline: Baseline, { name, value, lacks, text }: MutatedBody, accepted: boolean): Check {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return defineCheck(baseline, {
    name: `body.${name}`,
    title: `a body changed by ${name} is ${accepted ? 'accepted' : 'refused'}`,
    needs: [...baseline.needs, ...(lacks === undefined ? [] : [unmetPrecondition(lacks)])],
    ...(!accepted && isObject && { refuses: 'object' as const }),
    run: async (context) => {
      const response = await context.call(baseline.request(context, { body: text }));
      if (accepted) expectSuccess(baseline, response);
      else expectStatus(response, ...baseline.refusals.invalid);
    },
  });
}
