import type { Check } from '../../run/model.ts';
import type { Baseline } from '../baseline.ts';
import { defineCheck } from '../define-check.ts';
import { expectStatus } from '../expect.ts';
import { type MutatedBody, plainlyInvalidBodies } from '../plainly-invalid-bodies.ts';
import { unmetPrecondition } from '../unmet-precondition.ts';

/**
 * A check for each mutation of the operation's valid body that every server must refuse. A valid one may break rules that the
 * document cannot state, and its effects are not undone.
 */
export function bodySchemaChecks(baseline: Baseline): Check[] {
  if (baseline.refusals.invalid.length === 0) return [];
  return plainlyInvalidBodies(baseline).map((body) => mutationCheck(baseline, body));
}

function mutationCheck(baseline: Baseline, { name, lacks, text }: MutatedBody): Check {
  return defineCheck(baseline, {
    name: `body.${name}`,
    title: `a body changed by ${name} is refused`,
    needs: [...baseline.needs, ...(lacks === undefined ? [] : [unmetPrecondition(lacks)])],
    run: async (context) => {
      const response = await context.call(baseline.request(context, { body: text }));
      expectStatus(response, ...baseline.refusals.invalid);
    },
  });
}
