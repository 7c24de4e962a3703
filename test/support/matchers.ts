import { expect } from '@jest/globals';
import { type HttpResponse, responseViolations } from '../../contract/conformance/response.ts';

/** Fails unless the response to this request is one that the document describes. */
export function expectConformance(method: string, path: string, response: HttpResponse): void {
  expect(responseViolations(method, path, response)).toEqual([]);
}
