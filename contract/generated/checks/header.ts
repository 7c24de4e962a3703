import type { Check } from '../../model.ts';
import type { Baseline } from '../baseline.ts';
import { defineCheck } from '../define-check.ts';
import { idleHeaders } from '../idle-headers.ts';
import { expectUnchanged } from '../unchanged.ts';

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
