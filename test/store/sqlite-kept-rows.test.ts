import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import Sqlite from 'better-sqlite3';
import { hashSecret } from '../../src/domain/credential.ts';
import { Connection } from '../../src/store/sqlite/connection.ts';
import { type FoundCredential, KeptRows } from '../../src/store/sqlite/kept-rows.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { authorisedAccess, requestStore } from '../../src/store/sqlite/requests.ts';
import type { OperationStore, Store } from '../../src/store/store.ts';
import { TemporaryFolder } from '../support/temporary-folder.ts';
import { addAccessToken, addApiKey, addCase, addOrganisation } from '../support/tenants.ts';

const revokeAll = "UPDATE credential SET revoked_at = '2026-01-02T00:00:00.000Z'";

let folder: TemporaryFolder;
let path: string;
/** Another connection to the file. */
let other: Store;
let connection: Connection;
let requests: Omit<OperationStore, 'findCaseText'>;
let executed: string[];
let organisation: string;
let key: Buffer;
beforeEach(async () => {
  folder = await TemporaryFolder.make();
  path = join(folder.path, 'a.sqlite');
  other = openSqliteStore(path);
  organisation = await addOrganisation(other);
  key = hashSecret(await addApiKey(other, organisation, 'owner'));
  const verbose = (statement: unknown) => executed.push(String(statement));
  connection = new Connection(new Sqlite(path, { verbose }));
  requests = requestStore(connection)(connection);
  executed = [];
});
afterEach(async () => {
  connection.database.close();
  connection.file.close();
  await other.close();
  await folder.remove();
});

/** Has another process commit. */
function commitElsewhere(statement: string): void {
  const script = `new (require('better-sqlite3'))(process.argv[1]).exec(process.argv[2])`;
  execFileSync(process.execPath, ['--eval', script, path, statement], { timeout: 60_000 });
}

const revokedAt = async () => (await requests.findCredential(key))?.revoked_at;
const looks = () => executed.filter((statement) => /credential|organisation|case/.test(statement)).length;

const update = async (organisationId: string, enabled: boolean) =>
  requests.updateVerificationSetting({
    organisationId,
    enabled,
    credentialId: String((await requests.findCredential(key))?.credential_id),
    requestId: 'r',
    occurredAt: '2026-01-02T00:00:00.000Z',
  });

test('while nobody writes, a credential is read once, and its version once a snapshot', async () => {
  const first = await requests.findCredential(key);
  executed = [];
  expect(await Promise.all([requests.findCredential(key), requests.findCredential(key)])).toEqual([first, first]);
  expect(executed).toEqual(['BEGIN DEFERRED', 'PRAGMA data_version', 'COMMIT']);
});

test('a commit of another process between two reads of a snapshot is seen by the next one', async () => {
  const commit = () =>
    connection.read(() => {
      commitElsewhere(revokeAll);
    });
  expect(await Promise.all([revokedAt(), commit(), revokedAt()])).toEqual([null, undefined, null]);
  expect(await revokedAt()).toBe('2026-01-02T00:00:00.000Z');
});

test('a commit of another process within a snapshot is seen, though the first row is read after it', async () => {
  await connection.read(() => undefined);
  const commit = connection.read(() => {
    connection.prepare('SELECT 1 FROM organisation').get();
    commitElsewhere(revokeAll);
  });
  expect(await Promise.all([commit, revokedAt()])).toEqual([undefined, null]);
  expect(await revokedAt()).toBe('2026-01-02T00:00:00.000Z');
});

test('a change of a case by another connection is seen; a case may be new, and belongs to its organisation alone', async () => {
  const token = hashSecret(await addAccessToken(other, organisation));
  const find = async (caseId: string) => (await requests.findCredential(token, caseId))?.prefetched?.case;
  const unknown = '00000000-0000-4000-8000-000000000000';
  expect([await find(unknown), await find(unknown)]).toEqual(Array(2).fill({ id: unknown, revision: null }));
  const caseId = await addCase(other, organisation);
  const before = await find(caseId);
  expect(before?.revision).toEqual(expect.any(String));
  expect(await find(caseId)).toEqual(before);
  await other.lockCase(caseId, '2026-01-02T00:00:00.000Z');
  expect((await find(caseId))?.revision).not.toBe(before?.revision);
  const stranger = hashSecret(await addAccessToken(other, await addOrganisation(other)));
  const ofStranger = async () => (await requests.findCredential(stranger, caseId))?.prefetched?.case?.revision;
  expect([await find(caseId), await ofStranger(), await ofStranger()]).toEqual([expect.anything(), null, null]);
});

test('an own write drops all, whatever it changes; an update of a setting drops that setting alone', async () => {
  const setting = async (hash: Buffer) => (await requests.findCredential(hash))?.prefetched?.verificationEnabled;
  const second = hashSecret(await addApiKey(other, await addOrganisation(other), 'owner'));
  expect([await setting(key), await setting(second)]).toEqual([false, false]);
  await update(organisation, true);
  executed = [];
  expect(await setting(second)).toBe(false);
  expect(looks()).toBe(0);
  expect(await setting(key)).toBe(true);
  expect(looks()).toBe(1);
  await connection.write(() => connection.prepare(revokeAll).run());
  expect(await revokedAt()).toBe('2026-01-02T00:00:00.000Z');
});

test('a write that failed does not leave what it had changed', async () => {
  await revokedAt();
  const failed = connection.write(() => {
    connection.prepare(revokeAll).run();
    throw new Error('too late');
  });
  await expect(failed).rejects.toThrow('too late');
  expect(await revokedAt()).toBeNull();
});

test('a write checks the rights that are kept, unless another process or a write of the same commit has changed them', async () => {
  const { credential_id: credentialId = '' } = (await requests.findCredential(key)) ?? {};
  const revoked: unknown[] = [];
  const authorised = authorisedAccess(connection)({
    callers: [{ credentialId, organisationId: organisation }],
    check: ([rights]) => revoked.push(rights?.credential?.revoked_at),
  });
  executed = [];
  await authorised.write(() => undefined, organisation);
  expect(looks()).toBe(0);
  const later = () => authorised.write(() => undefined);
  await Promise.all([later(), connection.write(() => connection.prepare(revokeAll).run()), later()]);
  expect(revoked.splice(0)).toEqual([null, null, '2026-01-02T00:00:00.000Z']);
  await connection.write(() => connection.prepare('UPDATE credential SET revoked_at = NULL').run());
  expect(await revokedAt()).toBeNull();
  commitElsewhere(revokeAll);
  await later();
  expect(revoked).toEqual(['2026-01-02T00:00:00.000Z']);
});

test('of a million credentials, those used last are kept, and the setting of a displaced organisation is read anew', async () => {
  const rows = new KeptRows(connection.database);
  const find = (hash: string) => rows.credential(hash, () => true);
  const credential = (await requests.findCredential(key)) as FoundCredential;
  const ofOrganisation = (number: number) => ({ ...credential, organisation_id: `organisation ${number}` });
  expect(find('used all the time')).toBeUndefined();
  rows.keepCredential('used all the time', credential);
  for (let number = 0; number < 9_999; number += 1) rows.keepCredential(`key ${number}`, ofOrganisation(number));
  expect(find('used all the time')).toBe(credential);
  rows.keepCredential('key 9999', ofOrganisation(9_999));
  expect(find('used all the time')).toEqual({
    ...credential,
    prefetched: { organisationId: organisation, verificationEnabled: true },
  });

  for (let number = 0; number < 1_000_000; number += 1) {
    rows.keepCredential(`key ${number}`, credential);
    rows.keepRevision('organisation', `case ${number}`, 'revision');
  }
  const kept = Array.from({ length: 1_000_000 }, (_, number) => number).filter(
    (number) => find(`key ${number}`) && rows.revision('organisation', `case ${number}`),
  );
  expect(kept).toEqual(Array.from({ length: 10_000 }, (_, place) => 990_000 + place));
  rows.drop();
  expect([find('key 999999'), rows.revision('organisation', 'case 999999')]).toEqual([undefined, undefined]);
});
