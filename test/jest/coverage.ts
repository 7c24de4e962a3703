import { Session } from 'node:inspector/promises';
import { fileURLToPath } from 'node:url';
import type { TestResult } from '@jest/test-result';

type Coverage = NonNullable<TestResult['v8Coverage']>;

/**
 * Has V8 count what is executed in this process of these modules, by their addresses. What is returned tells what was since it was
 * asked last, in the form that Jest reads.
 */
export async function startCoverage(addresses: readonly string[]): Promise<() => Promise<Coverage>> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  const files = new Set(addresses);
  const told = new Set<string>();
  return async () => {
    const { result } = await session.post('Profiler.takePreciseCoverage');
    return result
      .filter(({ url }) => files.has(url))
      .map(({ url, scriptId, functions }) => {
        // Functions that were not called have to be told once, so that they are not taken for a part of what stands around them.
        const called = told.has(url)
          ? functions.filter(({ ranges }) => ranges.some(({ count }) => count > 0))
          : functions;
        told.add(url);
        return { codeTransformResult: undefined, result: { url: fileURLToPath(url), scriptId, functions: called } };
      });
  };
}
