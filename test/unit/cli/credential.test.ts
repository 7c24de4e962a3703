import { readFile } from 'node:fs/promises';
import { Writable } from 'node:stream';
import { beforeEach, expect, test } from '@jest/globals';
import {
  type ListedCredential as StoredCredential,
  type IssuedCredential,
  hashSecret,
  isWellFormedSecret,
} from '../../../src/domain/credential.ts';
import { CliHarness, type CliOptions } from '../../support/cli.ts';

const cli = CliHarness.forEachTest();
let organisation: string;
beforeEach(async () => {
  organisation = await cli.addOrganisation();
});

type ListedCredential = StoredCredential & { state: string; expires_soon: boolean };

const issue = (options: string) => cli.json<IssuedCredential>(`credential issue ${organisation} --kind ${options}`);
const issueKey = () => issue('api-key --role owner');
const issueToken = (days?: number) =>
  issue(days === undefined ? 'access-token' : `access-token --expires-in-days ${days}`);
const revoke = ({ credential_id: id }: IssuedCredential) => cli.text(`credential revoke ${id}`);
const list = (more = '', options?: CliOptions) => cli.json<ListedCredential[]>(`credential list${more}`, options);
const find = (secret: string) => cli.withStore((store) => store.findCredential(hashSecret(secret)));

test('credential issue issues an API key with the permissions of its role', async () => {
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

test('credential issue shows people the secret once and says so, and keeps it nowhere', async () => {
  const key = await cli.text(`credential issue ${organisation} --kind api-key --role viewer`);
  expect(key).toMatch(/^Issued API key with role viewer for organisation [0-9a-f-]{36}:\n\n {2}dak_uk_\w{36}\n\n/);
  for (const part of ['it is not shown again', 'does not expire']) expect(key).toContain(part);
  const token = await cli.text(`credential issue ${organisation} --kind access-token --expires-in-days 1`);
  expect(token).toContain('Issued access token for');
  expect(token).toContain('expires at 2026-03-03T12:00:00.000Z');
  const [secret = ''] = /dak_uk_\w{36}/.exec(key) ?? [];
  const files = await Promise.all(['', '-wal'].map((end) => readFile(cli.databasePath + end).catch(() => '')));
  for (const file of files) expect(file.includes(secret.slice(7))).toBe(false);
  expect(await cli.text('credential list --json')).not.toContain(secret.slice(7));
});

test.each([
  ['--kind api-key', 'error: an API key needs a role: add --role, such as --role owner'],
  ['--kind access-token --role owner', 'error: an access token has no role: remove --role'],
  ['--role owner', "required option '--kind <kind>'"],
  ['--kind password', 'Allowed choices are api-key, access-token'],
  ['--kind access-token --expires-in-days 0', 'whole number from 1 to 36500'],
  ['--kind access-token --expires-in-days 0.5', 'whole number from 1 to 36500'],
])('credential issue refuses %s as wrong usage', async (options, message) => {
  expect(await cli.fails(2, `credential issue ${organisation} ${options}`)).toContain(message);
  expect(await list()).toEqual([]);
});

test.each(['issue', 'rotate'])('a secret of credential %s that is not printed is of one to replace', async (name) => {
  const { credential_id: first } = await issueToken();
  const stdout = new Writable({
    write: (_chunk, _encoding, done) => {
      done(new Error('the disk is full'));
    },
  });
  const options = name === 'issue' ? `${organisation} --kind access-token` : first;
  const told = await cli.fails(1, `credential ${name} ${options}`, { stdout });
  const [, id = ''] = /^error: The credential (\S+) was issued/.exec(told) ?? [];
  expect(told).toBe(
    `error: The credential ${id} was issued, but its secret could not be printed: the disk is full. ` +
      `Replace it: document-analysis credential rotate ${id}\n`,
  );
  expect(await list()).toContainEqual(expect.objectContaining({ credential_id: id, state: 'active' }));
});

test('credential list shows the state of each at the moment, of one organisation alone if it is named', async () => {
  const [key, token, revoked] = [await issueKey(), await issueToken(1), await issueToken(1)];
  await revoke(revoked);
  const now = new Date('2026-03-03T12:00:00.000Z');
  const listed = await list('', { now });
  const stateOf = (one: IssuedCredential) => listed.find((each) => each.credential_id === one.credential_id)?.state;
  expect([key, token, revoked].map(stateOf)).toEqual(['active', 'expired', 'revoked']);
  const text = await cli.text(`credential list ${organisation}`, { now });
  expect(text).toMatch(/^CREDENTIAL +ORGANISATION +KIND +ROLE +STATE +CREATED +LAST USED +EXPIRES$/m);
  expect(text).toMatch(new RegExp(`^${key.credential_id} +${organisation} +api-key +owner +active +\\S+ +- +-`, 'm'));
  const other = await cli.addOrganisation('Zenith');
  expect(await list(` ${other}`)).toEqual([]);
  expect(await cli.text(`credential list ${other}`)).toContain('No credentials in ');
});

const use = ({ credential_id }: IssuedCredential, last_used_at: string) =>
  cli.withStore((store) => store.noteCredentialUses([{ credential_id, last_used_at }]));

test('credential list shows when each was used last, and which expire within 30 days', async () => {
  const [used, soon] = [await issueToken(31), await issueToken(30)];
  await use(used, '2026-03-02T12:34:56.789Z');
  const shown = (await list()).map((one) => [one.credential_id, one.last_used_at, one.expires_soon]);
  expect(shown).toHaveLength(2);
  expect(shown).toContainEqual([used.credential_id, '2026-03-02T12:34:56.789Z', false]);
  expect(shown).toContainEqual([soon.credential_id, null, true]);
  const text = await cli.text('credential list');
  expect(text).toMatch(new RegExp(`^${used.credential_id} .* active .* 2026-03-02T12:34:56.789Z `, 'm'));
  expect(text).toMatch(new RegExp(`^${soon.credential_id} .* expires soon .* - `, 'm'));
});

test('credential list lists those alone that are active and were not used for a time', async () => {
  const [unused, used, revoked] = [await issueKey(), await issueKey(), await issueKey()];
  await issueToken(1);
  await revoke(revoked);
  await use(used, '2026-03-12T12:00:00.000Z');
  const unusedFor = async (duration: string, now: string) =>
    (await list(` --unused-for ${duration}`, { now: new Date(now) })).map(({ credential_id: id }) => id);
  expect(await unusedFor('90d', '2026-05-31T11:59:59.999Z')).toEqual([]);
  const none = await cli.text('credential list --unused-for 90d');
  expect(none).toMatch(/^Every active credential in .* was used, or created, more recently than that\.\n$/);
  expect(await unusedFor('90d', '2026-05-31T12:00:00.000Z')).toEqual([unused.credential_id]);
  for (const duration of ['2160h', '90000m', '86400s'])
    expect(await unusedFor(duration, '2026-05-31T12:00:00.000Z')).toContain(unused.credential_id);
  const both = [unused.credential_id, used.credential_id];
  expect((await unusedFor('90d', '2026-06-10T12:00:00.000Z')).sort()).toEqual(both.sort());
});

test.each(['90', 'd', '-1d', '1.5d', '90 days', '3w', ''])('credential list refuses the time "%s"', async (time) => {
  const told = await cli.fails(2, ['credential', 'list', '--unused-for', time]);
  expect(told).toContain('days, hours, minutes or seconds, such as 90d, 12h');
});

test('credential rotate revokes the old one and issues a successor like it, and tells people both', async () => {
  const old = await issueToken(90);
  const successor = await cli.json<IssuedCredential>(`credential rotate ${old.credential_id.toUpperCase()}`);
  const like = { organisation_id: organisation, kind: 'access-token', role: null, expires_at: old.expires_at };
  expect(old.expires_at).toBe('2026-05-31T12:00:00.000Z');
  expect(successor).toMatchObject(like);
  expect(successor.credential_id).not.toBe(old.credential_id);
  expect(isWellFormedSecret(successor.secret, 'access-token', 'uk')).toBe(true);
  expect(await find(old.secret)).toMatchObject({ revoked_at: '2026-03-02T12:00:00.000Z' });
  expect(await find(successor.secret)).toMatchObject({ credential_id: successor.credential_id, revoked_at: null });
  const { credential_id: id } = await issueKey();
  const text = await cli.text(`credential rotate ${id}`);
  expect(text).toMatch(new RegExp(`^Revoked ${id}\\.\nIssued API key with role owner [^]* it is not shown again`));
});

test('credential rotate refuses one that has expired or is revoked', async () => {
  const token = await issueToken(1);
  const rotate = (now: string) =>
    cli.fails(1, `credential rotate ${token.credential_id}`, { now: new Date(`${now}T12:00:00Z`) });
  expect(await rotate('2026-03-03')).toContain('has expired');
  expect(await find(token.secret)).toMatchObject({ revoked_at: null });
  await revoke(token);
  expect(await rotate('2026-03-02')).toContain('is already revoked');
});

test('credential revoke revokes once and keeps the moment', async () => {
  const { credential_id: id } = await issueKey();
  const moment = '2026-03-02T12:00:00.000Z';
  expect(await cli.json(`credential revoke ${id}`)).toMatchObject({ credential_id: id, revoked_at: moment });
  const again = await cli.text(`credential revoke ${id}`, { now: new Date('2027-01-01T00:00:00Z') });
  expect(again).toBe(`Credential ${id} was revoked at ${moment}.\n`);
});
