import type { Check } from '../../run/model.ts';
import type { Baseline } from '../baseline.ts';
import { defineCheck } from '../define-check.ts';
import { ignoredHeaders } from '../ignored-headers.ts';
import { expectSameResponse } from '../deterministic-baseline.ts';

/** Checks that undocumented headers have no effect. */
export function headerChecks(baseline: Baseline): Check[] {
  return Object.entries(ignoredHeaders)
    .filter(([name]) => !isHeeded(baseline, name))
    .map(([name, values]) =>
      defineCheck(baseline, {
        name: `header.${name}`,
        title: `the header ${name} is ignored`,
        source: 'decision',
        run: (context) =>
          expectSameResponse(
            baseline,
            () => context.call(baseline.request(context)),
            values.map((value) => () => context.call(baseline.request(context, { headers: [[name, value]] }))),
          ),
      }),
    );
}

/**
 * Whether the document gives the header a meaning: as a parameter, or by a status for conditional or partial responses.
 */
export function isHeeded({ operation: { parameters, responses } }: Baseline, header: string): boolean {
  if (parameters.some(({ in: place, name }) => place === 'header' && name.toLowerCase() === header.toLowerCase()))
    return true;
  const conditional = /^If-(None-Match|Modified-Since)$/.test(header) && responses['304'] !== undefined;
  const unmet = /^If-(Match|Unmodified-Since)$/.test(header) && responses['412'] !== undefined;
  return conditional || unmet || (header === 'Range' && responses['206'] !== undefined);
}
