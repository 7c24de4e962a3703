/** The steps of docs/tour.md, one after the other in a copy of the project, with the output that stands there. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ProjectCopy } from './project-copy.ts';

const sections = readFileSync('docs/tour.md', 'utf8')
  .split(/^## (?=\d+\. )/m)
  .slice(1);
const steps = sections.map((section) => ({
  title: section.slice(0, section.indexOf('\n')),
  block: /^```sh\n(.*?)^```$/ms.exec(section)?.[1] ?? '',
  lines: (/^```\n(.*?)^```$/ms.exec(section)?.[1] ?? '').split('\n').filter((line) => line !== ''),
}));

/** Steps that show what a change breaks. */
const failing = ['3.', '4.'];

let project: ProjectCopy;
beforeAll(async () => {
  project = new ProjectCopy();
  await project.run('git', 'init', '--quiet');
  await project.run('git', 'add', '--all');
  await project.run(
    'git',
    '-c',
    'user.name=Tour',
    '-c',
    'user.email=tour@example.com',
    'commit',
    '--quiet',
    '-m',
    'tour',
  );
});
afterAll(() => {
  project.remove();
});

/** Numbers, durations and the lay-out differ from run to run. */
const shape = (text: string): string => text.replaceAll(/\d+(\.\d+)?/g, 'N').replaceAll(/\s+/g, ' ');

describe('the tour', () => {
  test('has steps', () => {
    expect(steps.length).toBe(8);
    expect(steps.filter(({ block }) => block === '')).toEqual([]);
  });

  test.each(steps)('$title', async ({ title, block, lines }) => {
    const follow = project.run('bash', '--norc', '-e', '-c', block);
    const isFailing = failing.some((number) => title.startsWith(number));
    if (isFailing) await expect(follow).rejects.toThrow();
    const output = shape(await follow.catch(String));
    for (const part of lines.flatMap((line) => line.split('…'))) expect(output).toContain(shape(part.trim()));
  });

  test('leaves nothing behind', async () => {
    expect(await project.run('git', 'status', '--short')).toBe('');
  });
});
