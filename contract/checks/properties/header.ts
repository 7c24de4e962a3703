import type { Check } from '../../run/model.ts';
import type { Baseline } from '../baseline.ts';
import { defineCheck } from '../define-check.ts';
import { idleHeaders } from '../ignored-headers.ts';
import { expectUnchanged } from '../deterministic-baseline.ts';

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
