import { dirname, join } from 'node:path';
import { expect, test } from '@jest/globals';
import { freePort } from '../../scripts/free-port.ts';
import { requestQuota } from '../../scripts/own-server-settings.ts';
import { startOwnTarget } from '../../scripts/own-target.ts';
import { reportOn } from '../support/contract.ts';
import { startNode } from '../support/process.ts';
import { until } from '../support/until.ts';

/** What the server is measured beside would be no limit if it left out what users of the API see. */
test('the limit of the bench keeps every promise of the document', async () => {
  const own = await startOwnTarget();
  const { name: databaseFile } = own.openDatabase() as unknown as { name: string };
  const port = await freePort();
  const limit = startNode(['--no-warnings', 'bench/servers/limit.ts'], {
    PORT: String(port),
    DATABASE_FILE: databaseFile,
    LOG_FILE: join(dirname(databaseFile), 'limit.log'),
    REQUESTS: String(requestQuota),
    WINDOW_SECONDS: '10',
  });
  const base_url = `http://127.0.0.1:${port}`;
  try {
    await until(limit.stderr, () =>
      fetch(base_url).then(
        () => true,
        () => false,
      ),
    );
    const target = { ...own, credentials: { ...own.credentials, base_url, case_base_url: base_url } };
    const { results } = await reportOn(target, { timeoutSeconds: 30, promises: ['document'] });
    const failed = results.filter(({ outcome }) => outcome === 'failed');
    expect(
      failed.map(({ check, failures }) => [check.id, failures.map(({ message }) => message.slice(0, 300))]),
    ).toEqual([]);
    expect(results.filter(({ outcome }) => outcome === 'passed').length).toBeGreaterThan(150);
  } finally {
    limit.child.kill();
    await limit.ended;
    await own.close();
  }
});
