import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { describeDatabase } from '../support/describe-postgres.ts';
import { AnalysisSite, startHeldRegistry } from '../support/analysis-site.ts';
import { told } from '../support/process.ts';

const shiftedClock = fileURLToPath(new URL('../fault-injection/shifted-clock.ts', import.meta.url));
const minuteSeconds = 60;

describeDatabase('workers on machines whose clocks are wrong, of one PostgreSQL database,', (database) => {
  test('take no file from a worker that lives, and soon that of one that has died', async () => {
    const registry = await startHeldRegistry();
    const site = await AnalysisSite.open(await database.freshUrl());
    /** Starts a worker whose clock is so many minutes ahead. */
    const watch = async (minutes: number) => {
      const clock = await site.write(`clock${minutes}`, String(minutes * minuteSeconds));
      const environment = {
        ...registry.environment,
        NODE_OPTIONS: `--import ${shiftedClock}`,
        CLOCK_SHIFT_FILE: clock,
      };
      return site.start(['analyse', '--watch'], environment);
    };
    try {
      await site.serve(['--no-analysis']);
      await site.setVerification(true);
      const [ahead, behind] = [await watch(50), await watch(-45)];
      await Promise.all([ahead, behind].map((program) => told(program, /(Analysing files)/)));
      // A worker waits for a registry some fifteen seconds, in which others may not have started on a loaded machine.
      for (const { child } of [ahead, behind]) child.kill('SIGSTOP');
      const holder = await watch(30);
      const [fileId = ''] = await site.addFiles(await site.write('a.txt', 'Company number 01234567'));
      await registry.asked();
      for (const { child } of [ahead, behind]) child.kill('SIGCONT');
      // Each worker looks once a second.
      await sleep(5000);
      expect(await site.store.readAnalysis(fileId)).toMatchObject({ analysis_status: 'analysing', attempts: 1 });

      for (const { child } of [holder, ahead]) child.kill('SIGKILL');
      registry.respondWith('ACME LIMITED');
      await site.until(fileId, 'analysis_complete');
      expect(await site.store.readAnalysis(fileId)).toMatchObject({ attempts: 2 });
    } finally {
      await site.close();
      registry.close();
    }
  });
});
