import type { Check } from '../../run/model.ts';
import type { Baseline } from '../baseline.ts';
import { contentOfType } from '../../conformance/media-type.ts';
import { defineCheck } from '../define-check.ts';
import { expectStatus } from '../expect.ts';

/** Media types that no server treats as JSON. */
const otherMediaTypes = { text: 'text/plain', xml: 'application/xml', binary: 'application/octet-stream' };

/** Checks that a body of a media type that is not documented is refused, if the document has a status for it. */
export function mediaTypeChecks(baseline: Baseline): Check[] {
  const { json, operation, refusals } = baseline;
  if (!json || refusals.mediaType.length === 0) return [];
  return Object.entries(otherMediaTypes)
    .filter(([, value]) => contentOfType(operation.requestBody?.content ?? {}, value) === undefined)
    .map(([name, value]) =>
      defineCheck(baseline, {
        name: `media-type.${name}`,
        title: `a JSON body sent with the media type ${value} is not supported`,
        run: async (context) => {
          const request = baseline.request(context, { content: [['Content-Type', value]], body: json.text });
          expectStatus(await context.call(request), ...refusals.mediaType);
        },
      }),
    );
}
