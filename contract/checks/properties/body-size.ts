import type { Check } from '../../run/model.ts';
import { type Baseline, jsonContent } from '../baseline.ts';
import { defineCheck } from '../define-check.ts';
import { expectStatus } from '../expect.ts';
import type { JsonBody } from '../json-body.ts';

/** Checks of the largest body that the operation accepts. */
export function bodySizeChecks(baseline: Baseline): Check[] {
  const { json, operation } = baseline;
  if (!json || !operation.responses['413']) return [];
  const limitBytes = operation.requestBody?.maxBytes ?? 0;
  const check = (name: string, body: string, status: number, content = jsonContent) =>
    defineCheck(baseline, {
      name: `body.size.${name}`,
      title: `a body of ${body.length} bytes is ${status === 413 ? 'too large' : 'accepted'}`,
      run: async (context) => {
        expectStatus(await context.call(baseline.request(context, { body, content })), status, baseline.conflict);
      },
    });
  return [
    check('largest', sized(json, limitBytes), baseline.success),
    check('one-byte-more', sized(json, limitBytes + 1), 413),
    check('one-byte-more-chunked', sized(json, limitBytes + 1), 413, [
      ...jsonContent,
      ['Transfer-Encoding', 'chunked'],
    ]),
    check('one-byte-more-not-json', 'x'.repeat(limitBytes + 1), 413),
    check('four-times', sized(json, limitBytes * 4), 413),
  ];
}

function sized({ text }: JsonBody, bytes: number): string {
  return text + ' '.repeat(Math.max(0, bytes - Buffer.byteLength(text)));
}
