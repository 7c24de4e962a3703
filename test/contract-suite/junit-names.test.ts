import { expect, test } from '@jest/globals';
import { create } from 'xmlbuilder2';
import { junitOf } from '../../contract/report/junit.ts';
import { startOwnTarget } from '../../scripts/own-target.ts';
import { reportOn } from '../support/contract.ts';

const only = ['replay.getVerificationSetting.*', '4.3-O1*'];

/** Class and name of each test case, as a run of the project's own server reports them. */
async function namesOf(seed: number): Promise<string[]> {
  const target = await startOwnTarget();
  try {
    const report = await reportOn(target, { seed, selection: { only, skip: [] } });
    const names: string[] = [];
    create(junitOf(report)).each(
      ({ node }) => {
        const [kind, name] = ['classname', 'name'].map((each) => (node as unknown as Element).getAttribute?.(each));
        if (node.nodeName === 'testcase') names.push(`${kind ?? ''} ${name ?? ''}`);
      },
      false,
      true,
    );
    return names;
  } finally {
    await target.close();
  }
}

interface Element {
  getAttribute?: (name: string) => string | null;
}

test('the test cases of JUnit XML have the same names in each run, whatever the seed, and each is an id', async () => {
  const [first, second] = [await namesOf(1), await namesOf(2)];
  expect(first.length).toBeGreaterThan(150);
  expect(new Set(first).size).toBe(first.length);
  expect(second).toEqual(first);
  expect(first.filter((name) => !/^contract(\.[a-z]+){1,2} \S+$/.test(name))).toEqual([]);
});
