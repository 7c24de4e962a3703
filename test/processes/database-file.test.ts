import { chmodSync, chownSync, globSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { settingPath } from '../support/harness.ts';
import { addTenant, startServer, told } from '../support/process.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';

const nobody = 65534;
/** A file's mode is nothing to root. */
const withoutPrivileges = {
  HOME: '/nonexistent',
  NODE_OPTIONS: `--import data:text/javascript,process.setgid(${nobody});process.setuid(${nobody})`,
};
const ready = '{"status":"ready"}';
const notReady = '{"status":"not ready","not_ready":["store"]}';

/** test/store/sqlite-replaced.test.ts has the file removed and replaced. */
test('a server whose database is made read-only serves reads alone, and is not ready until it may be written again', async () => {
  const folder = await makeTemporaryFolder();
  const dataDir = `${folder}/data`;
  const file = `${dataDir}/document-analysis-uk.sqlite`;
  const { key } = await addTenant(dataDir);
  const isRoot = process.getuid?.() === 0;
  if (isRoot) for (const each of globSync(`${folder}{,/**}`)) chownSync(each, nobody, nobody);
  const environment = { OPS_PORT: '0', ...(isRoot && withoutPrivileges) };
  const program = await startServer({ dataDir, environment });
  const url = program.url + settingPath;
  const ops = await told(program, /Probes and metrics on (\S+)\n/);
  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  const state = async () => [
    (await fetch(url, { method: 'PUT', headers, body: '{"enabled":true}' })).status,
    (await fetch(url, { headers })).status,
    await (await fetch(`${ops}/readyz`)).text(),
  ];

  chmodSync(file, 0o444);
  expect(await state()).toEqual([503, 200, notReady]);
  const reason = `The database ${file} cannot be used: it is read-only`;
  // The log is written a tenth of a second at a time.
  await until(
    () => `the log says: ${reason}\n${program.stderr()}`,
    () => program.stderr().includes(reason),
  );
  chmodSync(file, 0o600);
  expect(await state()).toEqual([200, 200, ready]);
});
