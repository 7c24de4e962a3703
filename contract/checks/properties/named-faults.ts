import type { Check } from '../../run/model.ts';
import type { Baseline } from '../baseline.ts';
import { defineCheck } from '../define-check.ts';
import { expectFieldsNamed } from '../expect.ts';
import { mutationsOf } from '../schema/mutations.ts';

/** Checks that a 400 names the faults of the body, if the document's error schema has a field for them. */
export function namedFaultsChecks(baseline: Baseline): Check[] {
  const { json, document, isOwn } = baseline;
  if (!json || !isOwn || !document.schemas['Error']?.properties?.['error_details']) return [];
  const bodies = mutationsOf(json.schema, json.valid)
    .filter(({ lacks, value }) => lacks === undefined && json.faultsOf(value).length > 0)
    .map(({ value }) => ({ body: JSON.stringify(value), faults: json.faultsOf(value) }))
    .filter(({ body }) => json.fits(body));
  return [
    defineCheck(baseline, {
      name: 'body.faults-named',
      title: 'the 400 for an invalid body lists each error in error_details.errors',
      run: async (context) => {
        let refused = 0;
        for (const { body, faults } of [...bodies, { body: '{', faults: [''] }]) {
          const response = await context.call(baseline.request(context, { body }));
          if (response.status !== 400) continue;
          refused += 1;
          expectFieldsNamed(response, faults);
        }
        if (refused === 0) throw new Error('expected status 400 for an invalid body, got none');
      },
    }),
  ];
}
