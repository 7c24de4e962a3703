import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { Store } from '../../src/store/store.ts';
import { describeAccess } from './conformance/access.ts';
import { describeCases } from './conformance/cases.ts';
import { describeEndingAnalyses } from './conformance/ending-analyses.ts';
import { describeRechecks } from './conformance/rechecks.ts';
import { describeRegisters } from './conformance/registers.ts';
import { describeSetting } from './conformance/setting.ts';
import { describeTakingAnalyses } from './conformance/taking-analyses.ts';

const parts = [
  describeAccess,
  describeSetting,
  describeCases,
  describeTakingAnalyses,
  describeEndingAnalyses,
  describeRegisters,
  describeRechecks,
];

/** What every store must do, whatever engine it stands on. `open` gives an empty store. */
export function describeStore(name: string, open: () => Promise<Store>): void {
  describe(`the ${name} store`, () => {
    let store: Store;
    beforeEach(async () => {
      store = await open();
    });
    afterEach(() => store.close());

    test('is found able to respond', () => expect(store.check()).resolves.toBeUndefined());

    for (const describePart of parts) describePart(() => store);
  });
}
