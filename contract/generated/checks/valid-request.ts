import type { Check } from '../../model.js';
import type { Baseline } from '../baseline.js';
import { defineCheck } from '../define-check.js';
import { expectStatus } from '../expect.js';

/** The check that the valid request succeeds from which all others are made. */
export function validRequestCheck(baseline: Baseline): Check {
  return defineCheck(baseline, {
    name: 'valid-request',
    title: `a valid request is answered ${baseline.success}`,
    status: baseline.success,
    run: async (context) => {
      expectStatus(await context.call(baseline.request(context)), baseline.success);
    },
  });
}
