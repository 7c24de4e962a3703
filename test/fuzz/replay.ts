import { expect, test } from '@jest/globals';
import { nameOf, readCorpus } from './corpus.ts';
import { openTarget } from './targets/index.ts';

/** Tests that what must hold for a target holds for each input that is kept for it. */
export function testCorpusOf(name: string): void {
  test(`the kept inputs of ${name} do no harm`, async () => {
    const [corpus, target] = [await readCorpus(name), await openTarget(name)];
    expect(corpus).not.toEqual([]);
    for (const input of corpus)
      await target.run(input).catch((error: unknown) => {
        throw new Error(`the input ${nameOf(input)}`, { cause: error });
      });
  });
}
