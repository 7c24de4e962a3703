import { expect, test } from '@jest/globals';
import { startScript, told } from '../support/process.ts';
import { describeEngines } from '../support/store-engines.ts';
import { until } from '../support/until.ts';
import { caseFixture, newFile } from '../store/conformance/analysis-fixtures.ts';

const workers = 3;
const files = 60;
const never = '2999-01-01T00:00:00.000Z';

describeEngines('several workers of one store', (open) => {
  test('take each file once', async () => {
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
