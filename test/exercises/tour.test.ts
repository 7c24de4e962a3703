/** The steps of docs/tour.md, one after the other in a copy of the project, with the output that stands there. */
import { readFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { ProjectCopy } from './project-copy.ts';

const sections = readFileSync('docs/tour.md', 'utf8')
  .split(/^## (?=\d+\. )/m)
  .slice(1);
const steps = sections.map((section) => {
  const fences = [...section.matchAll(/^```(\w*)\n(.*?)^```$/gms)];
  const [block = '', output = ''] = ['sh', ''].map((kind) => fences.find(([, info]) => info === kind)?.[2]);
  const lines = output.split('\n').filter((line) => line !== '');
  return { title: section.slice(0, section.indexOf('\n')), block, lines };
});

/** Steps that show what a change breaks. */
const failing = ['3.', '4.'];

const project = new ProjectCopy(['scripts']);
await project.run('git', 'init', '--quiet');
await project.run('git', 'add', '--all');
const identity = ['-c', 'user.name=Tour', '-c', 'user.email=tour@example.com'];
await project.run('git', ...identity, 'commit', '--quiet', '-m', 'tour');

/** Numbers, durations, colours and the lay-out differ from run to run; in CI, oxlint draws with other characters. */
const shape = (text: string): string =>
  stripVTControlCharacters(text)
    .replaceAll('×', 'x')
    .replaceAll('╭─[', ',-[')
    .replaceAll(/\d+(\.\d+)?/g, 'N')
    .replaceAll(/\s+/g, ' ');

/** The parts of the lines that are not in the output in this order; `…` stands for anything. */
function missingIn(output: string, lines: readonly string[]): string[] {
  let rest = shape(output);
  return lines
    .flatMap((line) => line.split('…'))
    .filter((part) => {
      const wanted = shape(part.trim());
      const at = rest.indexOf(wanted);
      if (at !== -1) rest = rest.slice(at + wanted.length);
      return at === -1;
    });
}

describe('the tour', () => {
  test('has steps', () => {
    expect(steps.length).toBe(8);
    expect(steps.filter(({ block }) => block === '')).toEqual([]);
    expect(steps.filter(({ lines }) => lines.length === 0).map(({ title }) => title)).toEqual(['8. Undo it']);
  });

  test.each(steps)('$title', async ({ title, block, lines }) => {
    const { output, failed } = await project.run('bash', '--norc', '-e', '-c', block).then(
      (printed) => ({ output: printed, failed: false }),
      (error: unknown) => ({ output: String(error), failed: true }),
    );
    const expected = { output, failed: failing.some((number) => title.startsWith(number)), missing: [] };
    expect({ output, failed, missing: missingIn(output, lines) }).toEqual(expected);
  });

  test('leaves nothing behind', async () => {
    expect(await project.run('git', 'status', '--short')).toBe('');
  });
});
