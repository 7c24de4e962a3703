import { expect, test } from '@jest/globals';
import { describeCase, hasEnded } from '../../../src/domain/case.ts';
import { buildCase } from '../../support/tenants.ts';

const [waiting, complete] = ['waiting_for_file_analysis', 'file_analysis_complete'];

test.each([
  [[], waiting, null],
  ...['waiting_for_upload', 'waiting_for_analysis', 'analysing', 'a state of another version'].map(
    (status): [string[], string, null] => [['analysis_complete', status, 'analysis_failed'], waiting, null],
  ),
  [['analysis_complete', 'analysis_failed', 'analysis_complete'], complete, '2026-03-02T10:02:00.000Z'],
])('a case with the files %j is %s, since the last of their times', (statuses, status, at) => {
  const stored = buildCase(statuses);
  for (const files of [stored.files, stored.files.toReversed()])
    expect(describeCase({ ...stored, files })).toMatchObject({
      ...stored,
      files,
      file_analysis_status: status,
      file_analysis_completed_at: at,
      total_files: statuses.length,
    });
});

test('a case is complete without a time when its files have none', () => {
  const stored = buildCase(['analysis_complete']);
  const files = stored.files.map((file) => ({ ...file, analysis_completed_at: null }));
  const facts = { file_analysis_status: complete, file_analysis_completed_at: null };
  expect(describeCase({ ...stored, files })).toMatchObject(facts);
});

test.each([null, '2026-03-02T12:00:00.000Z'])('a case that was locked at %s says so', (locked_at) => {
  const facts = { is_locked: locked_at !== null, locked_at };
  expect(describeCase(buildCase([], { locked_at }))).toMatchObject(facts);
});

test('the analysis of a file has ended if it is complete or failed', () => {
  const statuses = ['analysis_complete', 'analysis_failed', 'analysing'];
  expect(statuses.map((analysis_status) => hasEnded({ analysis_status }))).toEqual([true, true, false]);
});
