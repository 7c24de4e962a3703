// @ts-nocheck
import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import type { DemoData } from '../../src/demo/create-demo.js';
import { openSqliteStore } from '../../src/store/sqlite/open.js';
import { settingPath } from '../support/harness.js';
import { serving, startProgram, withDataDir } from '../support/process.js';

const rounds = 3;
const clients = 4;

test('every update that was answered is kept, and none is half done, when the server is killed', async () => {
  await withDataDir(async (dataDir) => {
    const demo = startProgram(['demo', '--json', '--data-dir', dataDir]);
    expect(await demo.ended).toBe(0);
    const { owner_key: key } = JSON.parse(demo.stdout()) as DemoData;
    const answered: string[] = [];

    for (let round = 0; round < rounds; round += 1) {
      const program = startProgram(['serve', '--port', '0', '--data-dir', dataDir], { RATE_LIMIT_REQUESTS: '1000000' });
      const url = await serving(program);
      const clientsEnded = Array.from({ length: clients }, () => updateUntilItFails(url, key, answered));
      await new Promise((resolve) => setTimeout(resolve, 200 + Math.random() * 300));
      program.child.kill('SIGKILL');
      await Promise.all(clientsEnded);
      expect(await program.ended).toBe('SIGKILL');
    }

    const store = openSqliteStore(`${dataDir}/document-analysis-uk.sqlite`);
    const entries = (await store.listAuditEntries({ limit: 1_000_000 })).reverse();
    const [organisation] = entries.map((entry) => entry.organisation_id);
    const enabled = await store.readVerificationSetting(organisation ?? '');
    await store.close();
    expect(answered.length).toBeGreaterThan(rounds * clients);
    const recorded = new Set(entries.map((entry) => entry.request_id));
    expect(answered.filter((id) => !recorded.has(id))).toEqual([]);
    const held = [false, ...entries.map(({ after }) => after.enabled)];
    expect(entries.map(({ before }) => before.enabled)).toEqual(held.slice(0, -1));
    expect(enabled).toBe(held.at(-1));
  });
}, 60_000);

async function updateUntilItFails(url: string, key: string, answered: string[]): Promise<void> {
  try {
    for (;;) {
      const id = randomUUID();
      const headers = { 'x-api-key': key, 'content-type': 'application/json', 'x-request-id': id };
      const body = JSON.stringify({ enabled: Math.random() < 0.5 });
      const response = await fetch(url + settingPath, { method: 'PUT', headers, body });
      if (response.status === 200) answered.push(id);
    }
  } catch {
    return;
  }
}
