import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import type { DemoData } from '../../src/demo/create-demo.ts';
import { isSettingUpdate } from '../../src/domain/audit.ts';
import { openPostgresStore } from '../../src/store/postgres/open.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import type { Store } from '../../src/store/store.ts';
import { settingPath } from '../support/harness.ts';
import { describeDatabase } from '../support/describe-postgres.ts';
import { jsonOf, serving, startProgram, withDataDir } from '../support/process.ts';
import { until } from '../support/until.ts';

const rounds = 3;
const clients = 4;

test('every update that was confirmed is kept, and none is half done, when the server is killed', async () => {
  await withDataDir((dataDir) =>
    updateUnderFire({ DATA_DIR: dataDir }, 1, () =>
      Promise.resolve(openSqliteStore(`${dataDir}/document-analysis-uk.sqlite`)),
    ),
  );
});

describeDatabase('with PostgreSQL', ({ freshUrl }) => {
  test('it holds for two servers on one database too', async () => {
    const url = await freshUrl();
    await updateUnderFire({ DATABASE_URL: url }, 2, () => openPostgresStore({ url, poolSize: 1 }, 'uk'));
  });
});

async function updateUnderFire(
  environment: NodeJS.ProcessEnv,
  servers: number,
  openStore: () => Promise<Store>,
): Promise<void> {
  const { owner_key: key } = await jsonOf<DemoData>(['demo'], environment);
  const confirmed: string[] = [];

  for (let round = 0; round < rounds; round += 1) {
    const programs = Array.from({ length: servers }, () =>
      startProgram(['serve', '--port', '0'], { RATE_LIMIT_REQUESTS: '1000000', ...environment }),
    );
    const urls = await Promise.all(programs.map(serving));
    const clientsEnded = urls.flatMap((url) =>
      Array.from({ length: clients }, () => updateUntilItFails(url, key, confirmed)),
    );
    const before = confirmed.length;
    await until('several updates were confirmed', () => confirmed.length > before + clients);
    await sleep(Math.random() * 300);
    for (const { child } of programs) child.kill('SIGKILL');
    await Promise.all(clientsEnded);
    for (const { ended } of programs) expect(await ended).toBe('SIGKILL');
  }

  const store = await openStore();
  const entries = (await store.listAuditEntries({ limit: 1_000_000 })).filter(isSettingUpdate).reverse();
  const [organisation] = entries.map((entry) => entry.organisation_id);
  const enabled = await store.readVerificationSetting(organisation ?? '');
  await store.close();
  expect(confirmed.length).toBeGreaterThan(rounds * clients);
  const recorded = entries.map((entry) => entry.request_id);
  expect(confirmed.filter((id) => !recorded.includes(id))).toEqual([]);
  expect(new Set(recorded).size).toBe(recorded.length);
  const held = [false, ...entries.map(({ after }) => after.enabled)];
  expect(entries.map(({ before }) => before.enabled)).toEqual(held.slice(0, -1));
  expect(enabled).toBe(held.at(-1));
}

async function updateUntilItFails(url: string, key: string, confirmed: string[]): Promise<void> {
  try {
    for (;;) {
      const id = randomUUID();
      const headers = { 'x-api-key': key, 'content-type': 'application/json', 'x-request-id': id };
      const body = JSON.stringify({ enabled: Math.random() < 0.5 });
      const response = await fetch(url + settingPath, { method: 'PUT', headers, body });
      if (response.status === 200) confirmed.push(id);
    }
  } catch {
    return;
  }
}
