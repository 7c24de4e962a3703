import { describe, expect, test } from '@jest/globals';
import { describeCase, hasEnded } from '../../../src/domain/case.ts';
import { buildCase } from '../../support/tenants.ts';

describe('a case', () => {
  test('without files waits for analysis', () => {
    expect(describeCase(buildCase([]))).toMatchObject({
      file_analysis_status: 'waiting_for_file_analysis',
      file_analysis_completed_at: null,
      files: [],
      total_files: 0,
    });
  });

  test.each(['waiting_for_upload', 'waiting_for_analysis', 'analysing', 'a state of another version'])(
    'waits as long as one file is %s',
    (status) => {
      expect(describeCase(buildCase(['analysis_complete', status, 'analysis_failed']))).toMatchObject({
        file_analysis_status: 'waiting_for_file_analysis',
        file_analysis_completed_at: null,
        total_files: 3,
      });
    },
  );

  test('is complete when the analysis of each file has ended, well or not, at the last of their times', () => {
    const stored = buildCase(['analysis_complete', 'analysis_failed', 'analysis_complete']);
    expect(describeCase({ ...stored, files: [...stored.files].reverse() })).toMatchObject({
      file_analysis_status: 'file_analysis_complete',
      file_analysis_completed_at: '2026-03-02T10:02:00.000Z',
    });
    expect(describeCase(stored)).toMatchObject({ file_analysis_completed_at: '2026-03-02T10:02:00.000Z' });
  });

  test('is complete without a time when its files have none', () => {
    const stored = buildCase(['analysis_complete']);
    const files = stored.files.map((file) => ({ ...file, analysis_completed_at: null }));
    expect(describeCase({ ...stored, files })).toMatchObject({
      file_analysis_status: 'file_analysis_complete',
      file_analysis_completed_at: null,
    });
  });

  test('is locked if it has a time of locking', () => {
    expect(describeCase(buildCase([]))).toMatchObject({ is_locked: false, locked_at: null });
    const locked_at = '2026-03-02T12:00:00.000Z';
    expect(describeCase(buildCase([], { locked_at }))).toMatchObject({ is_locked: true, locked_at });
  });

  test('keeps the stored facts as they are', () => {
    const stored = buildCase(['analysing']);
    expect(describeCase(stored)).toMatchObject(stored);
  });
});

test('the analysis of a file has ended if it is complete or failed', () => {
  expect(hasEnded({ analysis_status: 'analysis_complete' })).toBe(true);
  expect(hasEnded({ analysis_status: 'analysis_failed' })).toBe(true);
  expect(hasEnded({ analysis_status: 'analysing' })).toBe(false);
});
