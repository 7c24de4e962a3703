import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';

const read = (path: string) => readFileSync(path, 'utf8');

test('the guide shows two exercises whole, which the exercises carry out', () => {
  const shown = [...read('docs/adding-an-operation.md').matchAll(/^```diff\n(.*?)^```$/gms)].map(([, diff]) => diff);
  const exercises = ['get-status', 'lock-case'].map((name) => read(`test/exercises/${name}.diff`)).join('');
  expect(shown.sort()).toEqual(exercises.split(/^(?=diff --git )/m).sort());
});
