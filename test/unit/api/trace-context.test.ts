import { expect, test } from '@jest/globals';
import type { Request, Response } from 'express';
import { takeTraceContext } from '../../../src/api/steps/trace-context.ts';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const spanId = 'b7ad6b7169203331';

function traceOf(traceparent?: string) {
  const request = { headers: { traceparent } } as unknown as Request;
  let wentOn = false;
  void takeTraceContext(request, {} as Response, () => (wentOn = true));
  expect(wentOn).toBe(true);
  return request.trace;
}

test.each([
  [`00-${traceId}-${spanId}-01`, 1],
  [`00-${traceId}-${spanId}-00`, 0],
  [`cc-${traceId}-${spanId}-ff`, 255],
  [`01-${traceId}-${spanId}-01-what-a-later-version-adds`, 1],
])('the trace of %s is taken over', (traceparent, traceFlags) => {
  expect(traceOf(traceparent)).toEqual({ traceId, spanId, traceFlags });
});

test.each([
  undefined,
  '',
  `00-${traceId}-${spanId}`,
  `00-${traceId}-${spanId}-1`,
  `00-${traceId}-${spanId}-01-`,
  `00-${traceId}-${spanId}-01-more`,
  `01-${traceId}-${spanId}-01more`,
  `ff-${traceId}-${spanId}-01`,
  `00-${traceId.toUpperCase()}-${spanId}-01`,
  `00-${'0'.repeat(32)}-${spanId}-01`,
  `00-${traceId}-${'0'.repeat(16)}-01`,
  ` 00-${traceId}-${spanId}-01`,
  `00-${traceId}-${spanId}-01, 00-${traceId}-${spanId}-01`,
])('%j is no trace, and the request goes on without one', (traceparent) => {
  expect(traceOf(traceparent)).toBeUndefined();
});
