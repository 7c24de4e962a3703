import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { nameOf, readCorpus } from './corpus.ts';
import type { FuzzTarget } from './fuzz-target.ts';
import { openTarget } from './targets/index.ts';

/** Tests that what must hold for a target holds for each input that is kept for it. */
export function describeCorpusOf(name: string): void {
  describe(`the kept inputs of ${name}`, () => {
    let target: FuzzTarget;
    beforeAll(async () => {
      target = await openTarget(name);
    });
    afterAll(() => target.close());

    test('do no harm', async () => {
      const corpus = await readCorpus(name);
      expect(corpus).not.toEqual([]);
      for (const input of corpus)
        await target.run(input).catch((error: unknown) => {
          throw new Error(`the input ${nameOf(input)}`, { cause: error });
        });
    });
  });
}
