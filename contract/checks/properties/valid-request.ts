import type { Check } from '../../run/model.ts';
import type { Baseline } from '../baseline.ts';
import { defineCheck } from '../define-check.ts';
import { expectSuccess } from '../expect.ts';

/** Checks that the baseline request, from which all others are made, succeeds. */
export function validRequestCheck(baseline: Baseline): Check {
  return defineCheck(baseline, {
    name: 'valid-request',
    title: `a valid request gets ${baseline.success}`,
    run: async (context) => {
      expectSuccess(baseline, await context.call(baseline.request(context)));
    },
  });
}
