import { expect, test } from '@jest/globals';
import { readConfig } from '../../src/runtime/config.ts';
import { connectionsWithin, descriptorLimit } from '../../src/cli/serve.ts';

const [databaseUrl, readUrl] = ['postgres://user@primary/database', 'postgres://user@replica/database'];

test.each([
  ['what is configured, if there are enough', 65_536, {}, 10_000],
  ['what is configured, if nothing bounds them', Infinity, {}, 10_000],
  ['what is left beside the process', 256, {}, 192],
  ['what is left beside the operations port', 256, { OPS_PORT: '9090' }, 92],
  ['what is left beside a database', 256, { DATABASE_URL: databaseUrl }, 182],
  ['what is left beside a database and a replica', 256, { DATABASE_URL: databaseUrl, DATABASE_READ_URL: readUrl }, 172],
  ['a quarter, if hardly any are left', 128, { OPS_PORT: '9090' }, 32],
  ['less, if that is configured', 256, { MAX_CONNECTIONS: '50' }, 50],
])('the bound on connections is %s', (_what, limit, environment, expected) => {
  expect(connectionsWithin(limit, readConfig(environment))).toBe(expected);
});

test('the limit of this process is read from the system, as Node.js reports it', () => {
  const { userLimits } = process.report.getReport() as unknown as {
    userLimits: { open_files: { soft: number | string } };
  };
  const { soft } = userLimits.open_files;
  expect(descriptorLimit()).toBe(soft === 'unlimited' ? Infinity : soft);
});
