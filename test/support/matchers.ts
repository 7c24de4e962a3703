import { expect } from '@jest/globals';
import { type Answer, answerViolations } from '../../contract/conformance/response.ts';

/** Fails unless the answer to this request is one that the document describes. */
export function expectConformance(method: string, path: string, answer: Answer): void {
  expect(answerViolations(method, path, answer)).toEqual([]);
}
