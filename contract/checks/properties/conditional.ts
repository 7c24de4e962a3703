import type { Check, HttpResponse } from '../../run/model.ts';
import { UnmetPreconditionError } from '../../run/unmet-precondition-error.ts';
import type { Baseline } from '../baseline.ts';
import type { Headers } from '../credential-scheme.ts';
import { defineCheck } from '../define-check.ts';
import { expectSameResponse } from '../deterministic-baseline.ts';
import { expectStatus, expectSuccess } from '../expect.ts';

/**
 * Checks of conditional requests. If the document has 304, a request with the validator of the last response gets it
 * (RFC 9110, section 15.4.5). Otherwise responses are not cacheable, and the complete response is sent.
 */
export function conditionalChecks(baseline: Baseline): Check[] {
  const { operation } = baseline;
  if (operation.method !== 'get') return [];
  return [operation.responses['304'] ? notModifiedCheck(baseline) : sentWholeCheck(baseline)];
}

function notModifiedCheck(baseline: Baseline): Check {
  return defineCheck(baseline, {
    name: 'header.not-modified',
    title: 'a request with the validator of the last response gets 304',
    run: async (context) => {
      const first = await context.call(baseline.request(context));
      expectSuccess(baseline, first);
      const validator = validatorOf(first);
      if (!validator) throw new UnmetPreconditionError('missing: an ETag or a Last-Modified in the response');
      const second = await context.call(baseline.request(context, { headers: [validator] }));
      // It may have changed in between.
      if (second.status !== first.status || isSame(validator, validatorOf(second))) expectStatus(second, 304);
    },
  });
}

/** The conditional header with the validator of this response. */
function validatorOf({ headers }: HttpResponse): Headers[number] | undefined {
  const { etag, 'last-modified': modified } = headers;
  if (etag !== undefined) return ['If-None-Match', etag];
  return modified === undefined ? undefined : ['If-Modified-Since', modified];
}

function isSame([, validator]: Headers[number], other: Headers[number] | undefined): boolean {
  return other === undefined || other[1] === validator;
}

function sentWholeCheck(baseline: Baseline): Check {
  return defineCheck(baseline, {
    name: 'header.conditional',
    title: 'a conditional request gets the complete response, even with the validator of the last one',
    source: 'decision',
    run: async (context) => {
      const first = await context.call(baseline.request(context));
      await expectSameResponse(
        baseline,
        () => context.call(baseline.request(context)),
        conditionsOf(first).map((headers) => () => context.call(baseline.request(context, { headers }))),
      );
    },
  });
}

/** Conditions that are true of the response, if it has validators. */
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
