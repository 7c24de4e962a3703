import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { readingsAtATime } from '../../src/analysis/extraction/reading-bounds.ts';
import { isAnalysisEnd } from '../../src/domain/audit.ts';
import { caseFixture, newFile } from '../store/conformance/analysis-fixtures.ts';
import { AnalysisSite, testOnSites } from '../support/analysis-site.ts';
import { describeDatabase } from '../support/describe-postgres.ts';
import { hostilePdfs, pdfOf } from '../support/write-pdf.ts';
import { startScript, told } from '../support/process.ts';
import { describeEngines } from '../support/store-engines.ts';
import { until } from '../support/until.ts';

const shiftedClock = fileURLToPath(new URL('../fault-injection/shifted-clock.ts', import.meta.url));

interface Summary {
  outcomes: { complete: number; from_cache: number; failed: number };
}

testOnSites('two processes that analyse at the same time analyse each file once', async (site) => {
  const registry = await site.startRegistry();
  await site.serve(['--no-analysis']);
  await site.setVerification(true);
  const paths = await Promise.all(
    Array.from({ length: 6 }, (_, index) => site.write(`${index}.txt`, `Company number 0123456${index}`)),
  );
  const fileIds = await site.addFiles(...paths);
  const summaries = [1, 2].map(() => site.json<Summary>(['analyse'], registry.environment));
  // More than one of them asks for at a time, so that both are at it.
  await registry.waiting(readingsAtATime() + 1);
  registry.respondTo(Infinity);
  const counts = (await Promise.all(summaries)).map(({ outcomes }) => outcomes.complete);
  expect(counts.reduce((sum, count) => sum + count)).toBe(6);
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

test('hostile files fail with a reason, and the files after them are analysed', () =>
  AnalysisSite.in(async (site) => {
    const [before = '', bomb = '', encrypted = '', after = ''] = await site.addFiles(
      await site.write('before.pdf', pdfOf(['before'])),
      await site.write('bomb.pdf', hostilePdfs['512 MB in 512 kB']()),
      await site.write('encrypted.pdf', hostilePdfs['a password that a user must enter']()),
      await site.write('after.pdf', pdfOf(['after'])),
    );
    const { outcomes } = await site.json<Summary>(['analyse']);
    expect(outcomes).toMatchObject({ complete: 2, failed: 2 });
    for (const fileId of [before, after])
      expect(await site.store.readAnalysis(fileId)).toMatchObject({ analysis_status: 'analysis_complete' });
    const { analysis_status: status, failure, result } = await site.store.readAnalysis(bomb);
    expect([status, result]).toEqual(['analysis_failed', null]);
    expect(['too-much-content', 'too-slow']).toContain(failure?.code);
    expect((await site.store.readAnalysis(encrypted)).failure?.code).toBe('encrypted-file');
    expect(await site.run(['analysis', 'show', bomb])).toContain(failure?.message);
  }));

describeEngines('several workers of one store', (open) => {
  test('take each file once', async () => {
    const [workers, files, never] = [3, 60, '2999-01-01T00:00:00.000Z'];
    const opened = await open();
    const { store, place } = opened;
    const { add } = await caseFixture(store);
    const programs = Array.from({ length: workers }, () => startScript('test/support/taking-worker.ts', [place]));
    try {
      await Promise.all(programs.map((program) => told(program, /(ready)\n/)));
      const added: string[] = [];
      const busy = () => programs.filter((program) => program.stdout().includes('completed')).length;
      // One addition each time, so that several workers are there whenever a file appears.
      for (let index = 0; index < files || (busy() < 2 && index < 20 * files); index += 1)
        added.push(...(await add(newFile(`content ${index}`))));
      await until('every file is taken', async () => (await store.countWaitingAnalyses(never)) === 0);
      for (const { child } of programs) child.kill('SIGTERM');
      expect(await Promise.all(programs.map(({ ended }) => ended))).toEqual(Array(workers).fill(0));
      const lines = programs.flatMap((program) => program.stdout().match(/^(completed|lost) .*$/gm) ?? []);
      expect(lines.sort()).toEqual(added.map((fileId) => `completed ${fileId}`).sort());
      const entries = await store.listAuditEntries({ limit: 10_000 });
      expect(entries.map(({ after }) => ('file_id' in after ? after.file_id : after)).sort()).toEqual(added.sort());
      for (const fileId of added) expect(await store.readAnalysis(fileId)).toMatchObject({ attempts: 1 });
      expect(busy()).toBeGreaterThan(1);
    } finally {
      for (const { child } of programs) child.kill('SIGKILL');
      await opened.close();
    }
  });
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
