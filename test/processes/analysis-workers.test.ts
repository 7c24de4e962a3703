import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { readingsAtATime } from '../../src/analysis/extraction/reading-bounds.ts';
import { isAnalysisEnd } from '../../src/domain/audit.ts';
import { AnalysisSite, testOnSites } from '../support/analysis-site.ts';
import { describeDatabase } from '../support/describe-postgres.ts';
import { told } from '../support/process.ts';

const shiftedClock = fileURLToPath(new URL('../support/shifted-clock.ts', import.meta.url));

interface Summary {
  outcomes: { complete: number };
}

testOnSites('two processes that analyse at the same time analyse each file once', async (site) => {
  const registry = await site.startRegistry();
  await site.serve(['--no-analysis']);
  await site.setVerification(true);
  const paths = await Promise.all(
    Array.from({ length: 10 }, (_, index) => site.write(`${index}.txt`, `Company number 0123456${index}`)),
  );
  const fileIds = await site.addFiles(...paths);
  const summaries = [1, 2].map(() => site.json<Summary>(['analyse'], registry.environment));
  // More than one of them asks for at a time, so that both are at it.
  await registry.waiting(readingsAtATime() + 1);
  registry.respondTo(Infinity);
  const counts = (await Promise.all(summaries)).map(({ outcomes }) => outcomes.complete);
  expect(counts.reduce((sum, count) => sum + count)).toBe(fileIds.length);
  for (const count of counts) expect(count).toBeGreaterThan(0);
  for (const fileId of fileIds)
    expect(await site.store.readAnalysis(fileId)).toMatchObject({
      analysis_status: 'analysis_complete',
      attempts: 1,
    });
  const entries = await site.store.listAuditEntries({ limit: 100 });
  const ended = entries.flatMap((entry) => (isAnalysisEnd(entry) ? [entry.after.file_id] : []));
  expect(ended.sort()).toEqual([...fileIds].sort());
});

describeDatabase('workers on machines whose clocks are wrong, of one PostgreSQL database,', (database) => {
  test('take no file from a worker that lives, and soon that of one that has died', async () => {
    await AnalysisSite.in(
      async (site) => {
        const registry = await site.startRegistry();
        /** Starts a worker whose clock is so many minutes ahead. */
        const watch = async (minutes: number) => {
          const clock = await site.write(`clock${minutes}`, String(minutes * 60));
          const environment = {
            ...registry.environment,
            NODE_OPTIONS: `--import ${shiftedClock}`,
            CLOCK_SHIFT_FILE: clock,
          };
          return site.start(['analyse', '--watch'], environment);
        };
        await site.serve(['--no-analysis']);
        await site.setVerification(true);
        const [ahead, behind] = [await watch(50), await watch(-45)];
        await Promise.all([ahead, behind].map((program) => told(program, /(Analysing files)/)));
        // A worker waits for a registry some fifteen seconds, in which others may not have started on a loaded machine.
        for (const { child } of [ahead, behind]) child.kill('SIGSTOP');
        const holder = await watch(30);
        const [fileId = ''] = await site.addFiles(await site.write('a.txt', 'Company number 01234567'));
        await registry.waiting();
        for (const { child } of [ahead, behind]) child.kill('SIGCONT');
        // Each worker looks once a second.
        await sleep(5000);
        expect(await site.store.readAnalysis(fileId)).toMatchObject({ analysis_status: 'analysing', attempts: 1 });

        for (const { child } of [holder, ahead]) child.kill('SIGKILL');
        registry.respondTo(Infinity);
        await site.until(fileId, 'analysis_complete');
        expect(await site.store.readAnalysis(fileId)).toMatchObject({ attempts: 2 });
      },
      await database.freshUrl(),
    );
  });
});
