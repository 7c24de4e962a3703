/** What an operator learns of credentials from a running server: when they were used last, and which expire soon. */
import { expect, test } from '@jest/globals';
import type { IssuedCredential } from '../../src/domain/issue-credential.ts';
import type { ListedCredential } from '../../src/domain/credential.ts';
import type { Organisation } from '../../src/domain/organisation.ts';
import { settingPath } from '../support/harness.ts';
import { serving, startProgram, told, withDataDir } from '../support/process.ts';

test.each([
  ['one process', []],
  ['two workers', ['--workers', '2']],
])('uses and expiries, with %s', async (_, options) => {
  await withDataDir(async (dataDir) => {
    const operate = async <T>(...command: string[]): Promise<T> => {
      const { ended, stdout } = startProgram([...command, '--json', '--data-dir', dataDir]);
      expect(await ended).toBe(0);
      return JSON.parse(stdout()) as T;
    };
    const { organisation_id: organisation } = await operate<Organisation>('organisation', 'create', 'Acme');
    const issue = (...more: string[]) =>
      operate<IssuedCredential>('credential', 'issue', organisation, '--kind', 'api-key', '--role', 'owner', ...more);
    const [used, revoked, unused] = [await issue('--expires-in-days', '7'), await issue(), await issue()];
    await operate('credential', 'revoke', revoked.credential_id);

    const program = startProgram(['serve', '--port', '0', '--data-dir', dataDir, ...options], {
      NODE_ENV: 'production',
      OPS_PORT: '0',
    });
    const url = await serving(program);
    const operationsUrl = await told(program, /Probes and metrics on (\S+)\n/);
    const startedAt = Date.now();
    const statuses = [];
    for (const { secret } of [used, used, revoked]) {
      const response = await fetch(url + settingPath, { headers: { 'x-api-key': secret } });
      statuses.push(response.status);
      // Operators are told of an expiry; callers, who may be strangers, are not.
      for (const header of ['sunset', 'deprecation', 'expires']) expect(response.headers.get(header)).toBeNull();
    }
    expect(statuses).toEqual([403, 403, 401]);
    const metrics = await (await fetch(`${operationsUrl}/metrics`)).text();
    expect(metrics).toContain(
      `\ncredential_next_expiry_timestamp_seconds ${Date.parse(String(used.expires_at)) / 1000}\n`,
    );
    program.child.kill('SIGTERM');
    expect(await program.ended).toBe(0);

    const lines = program.stderr().split('\n');
    const warnings = lines.filter((line) => line.includes('a credential expires soon'));
    expect(warnings.map((line) => JSON.parse(line) as object)).toEqual([
      expect.objectContaining({
        level: 40,
        credentialId: used.credential_id,
        organisationId: organisation,
        expiresAt: used.expires_at,
      }),
    ]);
    const listed = await operate<ListedCredential[]>('credential', 'list');
    const lastUses = new Map(listed.map(({ credential_id: id, last_used_at: usedAt }) => [id, usedAt]));
    expect(Date.parse(lastUses.get(used.credential_id) ?? '')).toBeGreaterThanOrEqual(startedAt);
    expect([lastUses.get(revoked.credential_id), lastUses.get(unused.credential_id)]).toEqual([null, null]);
  });
});
