import type { HttpResponse } from '../../run/model.ts';
import type { Check } from '../../run/model.ts';
import type { Baseline } from '../baseline.ts';
import type { Headers } from '../credential-scheme.ts';
import { defineCheck } from '../define-check.ts';
import { expectSameResponse } from '../deterministic-baseline.ts';

/** Checks that a response which nobody may keep is sent whole, also to who presents the validator that came with it. */
export function conditionalChecks(baseline: Baseline): Check[] {
  const { operation } = baseline;
  if (operation.method !== 'get' || operation.responses['304']) return [];
  return [
    defineCheck(baseline, {
      name: 'header.conditional',
      title: 'a conditional request gets the whole response, also with the validator of the last one',
      source: 'decision',
      run: async (context) => {
        const first = await context.call(baseline.request(context));
        await expectSameResponse(
          baseline,
          () => context.call(baseline.request(context)),
          conditionsOf(first).map((headers) => () => context.call(baseline.request(context, { headers }))),
        );
      },
    }),
  ];
}

/** Conditions that hold for the response, if it has validators. */
function conditionsOf({ headers }: HttpResponse): Headers[] {
  const { etag = '"none"', date = new Date().toUTCString(), 'last-modified': modified = date } = headers;
  const opaque = etag.replace(/^W\//, '');
  return [
    [['If-None-Match', etag]],
    [['If-None-Match', `"other", W/${opaque}`]],
    [['If-Modified-Since', modified]],
    [
      ['If-None-Match', etag],
      ['If-Modified-Since', modified],
    ],
    [
      ['Range', 'bytes=0-0'],
      ['If-Range', opaque],
    ],
  ];
}
