// @ts-nocheck
import { expect } from '@jest/globals';
import { type Answer, contractViolations } from './conformance.js';

/** Fails unless the answer to this request is one that the document describes. */
export function expectConformance(method: string, path: string, answer: Answer): void {
  expect(contractViolations(method, path, answer)).toEqual([]);
}
