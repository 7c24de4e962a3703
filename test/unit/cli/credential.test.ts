import { readFile } from 'node:fs/promises';
import { Writable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { ListedCredential as StoredCredential } from '../../../src/domain/credential.ts';
import type { IssuedCredential } from '../../../src/domain/issue-credential.ts';
import { hashSecret, isWellFormedSecret } from '../../../src/domain/secret.ts';
import { CliHarness } from '../../support/cli.ts';

let cli: CliHarness;
let organisation: string;
beforeEach(async () => {
  cli = await CliHarness.start();
  organisation = await cli.addOrganisation();
});
afterEach(() => cli.stop());

/** As `credential list` shows it. */
type ListedCredential = StoredCredential & { expires_soon: boolean };

const unknown = 'ffffffff-ffff-4fff-bfff-ffffffffffff';
const issue = (...options: string[]) => cli.json<IssuedCredential>(['credential', 'issue', organisation, ...options]);
const issueKey = () => issue('--kind', 'api-key', '--role', 'owner');
const issueToken = (...options: string[]) => issue('--kind', 'access-token', ...options);
const find = (secret: string) => cli.withStore((store) => store.findCredential(hashSecret(secret)));

describe('credential issue', () => {
  test('issues an API key with the permissions of its role', async () => {
    const issued = await issueKey();
    expect(issued).toEqual({
      credential_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      organisation_id: organisation,
      kind: 'api-key',
      role: 'owner',
      created_at: '2026-03-02T12:00:00.000Z',
      expires_at: null,
      revoked_at: null,
      secret: expect.any(String),
    });
    expect(isWellFormedSecret(issued.secret, 'api-key', 'uk')).toBe(true);
    expect(await find(issued.secret)).toMatchObject({
      credential_id: issued.credential_id,
      permissions: ['organisation_settings:read', 'organisation_settings:write'],
    });
  });

  test('issues an access token that expires', async () => {
    const issued = await issueToken('--expires-in-days', '90');
    expect(issued).toMatchObject({ kind: 'access-token', role: null, expires_at: '2026-05-31T12:00:00.000Z' });
    expect(isWellFormedSecret(issued.secret, 'access-token', 'uk')).toBe(true);
  });

  test('issues a credential of the chosen region, in its own store', async () => {
    const created = await cli.json<{ organisation_id: string }>(['organisation', 'create', 'Acme', '--region', 'ca']);
    const request = ['issue', created.organisation_id, '--kind', 'access-token'];
    const issued = await cli.json<IssuedCredential>(['--region', 'ca', 'credential', ...request]);
    expect(isWellFormedSecret(issued.secret, 'access-token', 'ca')).toBe(true);
    expect(await find(issued.secret)).toBeUndefined();
  });

  test('shows people the secret once and says so', async () => {
    const key = await cli.run(['credential', 'issue', organisation, '--kind', 'api-key', '--role', 'viewer']);
    expect(key.stdout).toMatch(
      /^Issued API key with role viewer for organisation [0-9a-f-]{36}:\n\n {2}dak_uk_\w{36}\n\n/,
    );
    expect(key.stdout).toContain('it is not shown again');
    expect(key.stdout).toContain('does not expire');
    expect(key.stderr).toBe('');
    const token = await cli.run([
      'credential',
      'issue',
      organisation,
      '--kind',
      'access-token',
      '--expires-in-days',
      '1',
    ]);
    expect(token.stdout).toContain('Issued access token for');
    expect(token.stdout).toContain('expires at 2026-03-03T12:00:00.000Z');
  });

  test('keeps the secret nowhere', async () => {
    const { secret } = await issueKey();
    const files = await Promise.all(['', '-wal'].map((end) => readFile(cli.databasePath + end).catch(() => '')));
    for (const file of files) expect(file.includes(secret.slice(7))).toBe(false);
    expect((await cli.run(['credential', 'list', '--json'])).stdout).not.toContain(secret.slice(7));
  });

  test.each([
    [
      'an API key without a role',
      ['--kind', 'api-key'],
      'error: an API key needs a role: add --role, such as --role owner',
    ],
    [
      'an access token with a role',
      ['--kind', 'access-token', '--role', 'owner'],
      'error: an access token has no role: remove --role',
    ],
    ['no kind', [], "required option '--kind <kind>'"],
    ['another kind', ['--kind', 'password'], 'Allowed choices are api-key, access-token'],
    ['no time', ['--kind', 'access-token', '--expires-in-days', '0'], 'whole number from 1 to 36500'],
    ['half a day', ['--kind', 'access-token', '--expires-in-days', '0.5'], 'whole number from 1 to 36500'],
  ])('refuses %s as wrong usage', async (_, options, message) => {
    const { exitCode, stdout, stderr } = await cli.run(['credential', 'issue', organisation, ...options]);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
    expect(await cli.json(['credential', 'list'])).toEqual([]);
  });

  test('refuses an unknown organisation or role and says how to list those that exist', async () => {
    const withoutOrganisation = await cli.run(['credential', 'issue', unknown, '--kind', 'access-token']);
    expect(withoutOrganisation.exitCode).toBe(1);
    expect(withoutOrganisation.stderr).toContain('document-analysis organisation list');
    const withoutRole = await cli.run(['credential', 'issue', organisation, '--kind', 'api-key', '--role', 'boss']);
    expect(withoutRole.exitCode).toBe(1);
    expect(withoutRole.stderr).toContain('document-analysis role list');
  });
});

test('a credential whose secret cannot be printed is named, so that it can be replaced', async () => {
  const { credential_id: first } = await issueToken();
  for (const command of [
    ['issue', organisation, '--kind', 'access-token'],
    ['rotate', first],
  ]) {
    const full = new Writable({
      write: (_chunk, _encoding, done) => {
        done(new Error('the disk is full'));
      },
    });
    const { exitCode, stderr } = await cli.run(['credential', ...command], { stdout: full });
    const [, id = ''] = /^error: The credential (\S+) was issued/.exec(stderr) ?? [];
    expect([exitCode, stderr]).toEqual([
      1,
      `error: The credential ${id} was issued, but its secret could not be printed: the disk is full. ` +
        `Replace it: document-analysis credential rotate ${id}\n`,
    ]);
    const listed = await cli.json<ListedCredential[]>(['credential', 'list']);
    expect(listed).toContainEqual(expect.objectContaining({ credential_id: id, state: 'active' }));
  }
});

describe('credential list', () => {
  test('shows the state of each at the moment', async () => {
    const key = await issueKey();
    const token = await issueToken('--expires-in-days', '1');
    const revoked = await issueToken();
    await cli.run(['credential', 'revoke', revoked.credential_id]);
    const now = new Date('2026-03-03T12:00:00.000Z');
    const listed = await cli.json<{ credential_id: string; state: string }[]>(['credential', 'list'], { now });
    const states = Object.fromEntries(listed.map(({ credential_id: id, state }) => [id, state]));
    expect(states).toEqual({
      [key.credential_id]: 'active',
      [token.credential_id]: 'expired',
      [revoked.credential_id]: 'revoked',
    });
    const { stdout } = await cli.run(['credential', 'list', organisation], { now });
    expect(stdout).toMatch(/^CREDENTIAL +ORGANISATION +KIND +ROLE +STATE +CREATED +LAST USED +EXPIRES$/m);
    expect(stdout).toMatch(
      new RegExp(`^${key.credential_id} +${organisation} +api-key +owner +active +\\S+ +- +-$`, 'm'),
    );
  });

  test('shows when each was used last, and which expire within 30 days', async () => {
    const used = await issueToken('--expires-in-days', '31');
    const soon = await issueToken('--expires-in-days', '30');
    await cli.withStore((store) =>
      store.noteCredentialUses([{ credential_id: used.credential_id, last_used_at: '2026-03-02T12:34:56.789Z' }]),
    );
    const shown = async () =>
      (await cli.json<ListedCredential[]>(['credential', 'list'])).map(
        ({ credential_id: id, last_used_at: usedAt, expires_soon: expiresSoon }) => [id, usedAt, expiresSoon],
      );
    expect(new Set(await shown())).toEqual(
      new Set([
        [used.credential_id, '2026-03-02T12:34:56.789Z', false],
        [soon.credential_id, null, true],
      ]),
    );
    const { stdout } = await cli.run(['credential', 'list']);
    expect(stdout).toMatch(new RegExp(`^${used.credential_id} .* active .* 2026-03-02T12:34:56.789Z `, 'm'));
    expect(stdout).toMatch(new RegExp(`^${soon.credential_id} .* expires soon .* - `, 'm'));
  });

  test('lists those alone that are active and were not used for a time', async () => {
    const [unused, used, revoked] = [await issueKey(), await issueKey(), await issueKey()];
    await issueToken('--expires-in-days', '1');
    await cli.run(['credential', 'revoke', revoked.credential_id]);
    await cli.withStore((store) =>
      store.noteCredentialUses([{ credential_id: used.credential_id, last_used_at: '2026-03-12T12:00:00.000Z' }]),
    );
    const unusedFor = async (duration: string, now: string) => {
      const listed = await cli.json<ListedCredential[]>(['credential', 'list', '--unused-for', duration], {
        now: new Date(now),
      });
      return listed.map(({ credential_id: id }) => id);
    };
    expect(await unusedFor('90d', '2026-05-31T11:59:59.999Z')).toEqual([]);
    const { stdout } = await cli.run(['credential', 'list', '--unused-for', '90d']);
    expect(stdout).toMatch(/^Every active credential in .* was used, or created, more recently than that\.\n$/);
    expect(await unusedFor('90d', '2026-05-31T12:00:00.000Z')).toEqual([unused.credential_id]);
    for (const duration of ['2160h', '90000m', '86400s'])
      expect(await unusedFor(duration, '2026-05-31T12:00:00.000Z')).toContain(unused.credential_id);
    expect(new Set(await unusedFor('90d', '2026-06-10T12:00:00.000Z'))).toEqual(
      new Set([unused.credential_id, used.credential_id]),
    );
  });

  test.each(['90', 'd', '-1d', '1.5d', '90 days', '3w', ''])('refuses "%s" as a duration', async (duration) => {
    const { exitCode, stderr } = await cli.run(['credential', 'list', '--unused-for', duration]);
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringContaining('days, hours, minutes or seconds, such as 90d, 12h'),
    ]);
  });

  test('lists those of one organisation alone', async () => {
    await issueKey();
    const other = await cli.addOrganisation('Zenith');
    expect(await cli.json(['credential', 'list', other])).toEqual([]);
    expect((await cli.run(['credential', 'list', other])).stdout).toContain('No credentials in ');
  });

  test('refuses an unknown organisation', async () => {
    expect(await cli.run(['credential', 'list', unknown])).toMatchObject({ exitCode: 1, stdout: '' });
  });
});

describe('credential rotate', () => {
  test('revokes the old one and issues a successor like it', async () => {
    const old = await issueToken('--expires-in-days', '90');
    const successor = await cli.json<IssuedCredential>(['credential', 'rotate', old.credential_id.toUpperCase()]);
    expect(successor).toMatchObject({
      organisation_id: organisation,
      kind: 'access-token',
      expires_at: old.expires_at,
    });
    expect(successor.credential_id).not.toBe(old.credential_id);
    expect(isWellFormedSecret(successor.secret, 'access-token', 'uk')).toBe(true);
    expect(await find(old.secret)).toMatchObject({ revoked_at: '2026-03-02T12:00:00.000Z' });
    expect(await find(successor.secret)).toMatchObject({ credential_id: successor.credential_id, revoked_at: null });
  });

  test('tells people both', async () => {
    const old = await issueKey();
    const { stdout } = await cli.run(['credential', 'rotate', old.credential_id]);
    expect(stdout).toMatch(new RegExp(`^Revoked ${old.credential_id}\\.\nIssued API key with role owner `));
    expect(stdout).toContain('it is not shown again');
  });

  test('refuses one that is revoked, has expired or is unknown', async () => {
    const token = await issueToken('--expires-in-days', '1');
    const expired = await cli.run(['credential', 'rotate', token.credential_id], {
      now: new Date('2026-03-03T12:00:00Z'),
    });
    expect([expired.exitCode, expired.stderr]).toEqual([1, expect.stringContaining('has expired')]);
    expect(await find(token.secret)).toMatchObject({ revoked_at: null });
    await cli.run(['credential', 'revoke', token.credential_id]);
    const revoked = await cli.run(['credential', 'rotate', token.credential_id]);
    expect([revoked.exitCode, revoked.stderr]).toEqual([1, expect.stringContaining('is already revoked')]);
    const missing = await cli.run(['credential', 'rotate', unknown]);
    expect([missing.exitCode, missing.stderr]).toEqual([
      1,
      expect.stringContaining('document-analysis credential list'),
    ]);
  });
});

describe('credential revoke', () => {
  test('revokes once and keeps the moment', async () => {
    const { credential_id: id } = await issueKey();
    const moment = '2026-03-02T12:00:00.000Z';
    expect(await cli.json(['credential', 'revoke', id])).toMatchObject({ credential_id: id, revoked_at: moment });
    const { exitCode, stdout } = await cli.run(['credential', 'revoke', id], { now: new Date('2027-01-01T00:00:00Z') });
    expect([exitCode, stdout]).toEqual([0, `Credential ${id} was revoked at ${moment}.\n`]);
  });

  test('refuses an unknown one', async () => {
    const { exitCode, stderr } = await cli.run(['credential', 'revoke', unknown]);
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('document-analysis credential list')]);
  });
});
