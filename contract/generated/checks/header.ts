import type { Check } from '../../model.js';
import type { Baseline } from '../baseline.js';
import { defineCheck } from '../define-check.js';
import { idleHeaders } from '../idle-headers.js';
import { expectUnchanged } from '../unchanged.js';

/** Checks that headers which the document does not name change nothing. */
export function headerChecks(baseline: Baseline): Check[] {
  return Object.entries(idleHeaders).map(([name, values]) =>
    defineCheck(baseline, {
      name: `header.${name}`,
      title: `the header ${name} is ignored`,
      run: (context) =>
        expectUnchanged(
          baseline.success,
          () => context.call(baseline.request(context)),
          values.map((value) => () => context.call(baseline.request(context, { headers: [[name, value]] }))),
        ),
    }),
  );
}
