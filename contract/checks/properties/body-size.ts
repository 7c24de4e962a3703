import type { Check } from '../../run/model.ts';
import type { Baseline } from '../baseline.ts';
import { defineCheck } from '../define-check.ts';
import { expectStatus, expectSuccess } from '../expect.ts';
import type { JsonBody } from '../json-body.ts';

/** Checks of the largest body that the operation accepts. */
export function bodySizeChecks(baseline: Baseline): Check[] {
  const { json, operation } = baseline;
  const limitBytes = operation.requestBody?.maxBytes ?? Number.POSITIVE_INFINITY;
  if (!json || !operation.responses['413'] || !Number.isFinite(limitBytes)) return [];
  const check = (name: string, body: string, status: number, content = json.content) =>
    defineCheck(baseline, {
      name: `body.size.${name}`,
      title: `a body of ${body.length} bytes is ${status === 413 ? 'too large' : 'accepted'}`,
      run: async (context) => {
        const response = await context.call(baseline.request(context, { body, content }));
        if (status === 413) expectStatus(response, status);
        else expectSuccess(baseline, response);
      },
    });
  return [
    check('largest', sized(json, limitBytes), baseline.success),
    check('one-byte-more', sized(json, limitBytes + 1), 413),
    check('one-byte-more-chunked', sized(json, limitBytes + 1), 413, [
      ...json.content,
      ['Transfer-Encoding', 'chunked'],
    ]),
    check('one-byte-more-not-json', 'x'.repeat(limitBytes + 1), 413),
    check('four-times', sized(json, limitBytes * 4), 413),
  ];
}

function sized({ text }: JsonBody, bytes: number): string {
  return text + ' '.repeat(Math.max(0, bytes - Buffer.byteLength(text)));
}
