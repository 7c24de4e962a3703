/** A connection: its transactions, and the rows that it keeps of those who call. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import Sqlite from 'better-sqlite3';
import { hashSecret } from '../../src/domain/credential.ts';
import { Connection, type KeptCredential } from '../../src/store/sqlite/connection.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { requestsOf } from '../../src/store/sqlite/requests.ts';
import type { OperationStore, Store } from '../../src/store/store.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { addAccessToken, addApiKey, addCase, addOrganisation } from '../support/tenants.ts';

const revokeAll = "UPDATE credential SET revoked_at = '2026-01-02T00:00:00.000Z'";

let path: string;
/** Another connection to the file. */
let other: Store;
let connection: Connection;
let requests: Pick<OperationStore, 'findCredential' | 'updateVerificationSetting'>;
let executed: string[] = [];
let organisation: string;
let key: Buffer;
beforeEach(async () => {
  path = join(await makeTemporaryFolder(), 'a.sqlite');
  other = openSqliteStore(path);
  organisation = await addOrganisation(other);
  key = hashSecret(await addApiKey(other, organisation, 'owner'));
  const verbose = (statement: unknown) => executed.push(String(statement));
  connection = new Connection(new Sqlite(path, { verbose }));
  requests = requestsOf(connection).on(connection);
  connection.database.exec('CREATE TABLE noted (word TEXT UNIQUE)');
  executed = [];
});
afterEach(async () => {
  connection.database.close();
  connection.file.close();
  await other.close();
});

const note = (word: string) =>
  connection.write(() => connection.prepare('INSERT INTO noted VALUES (?)').run(word).changes);
/** Runs statements, and fails. */
const failing = (error: Error, statements = '') => {
  return () => {
    connection.database.exec(statements);
    throw error;
  };
};
const noted = () => connection.prepare<[], string>('SELECT word FROM noted').pluck().all();
const statuses = (outcomes: PromiseSettledResult<unknown>[]) => outcomes.map(({ status }) => status);

const read = <T>(word: T) => connection.read(() => connection.prepare<[T], T>('SELECT ?').pluck().get(word));

test('a read that fails leaves those of the same snapshot', async () => {
  const fault = new Error('no such thing');
  expect(await Promise.allSettled([read('a'), connection.read(failing(fault)), read('b')])).toEqual([
    { status: 'fulfilled', value: 'a' },
    { status: 'rejected', reason: fault },
    { status: 'fulfilled', value: 'b' },
  ]);
});

test('a fault that ends the snapshot fails its reads, and the next ones have another', async () => {
  const diskFails = failing(new Error('the disk fails'), 'ROLLBACK');
  const outcomes = await Promise.allSettled([read('a'), connection.read(diskFails), read('b')]);
  expect(statuses(outcomes)).toEqual(['rejected', 'rejected', 'rejected']);
  expect(await read('c')).toBe('c');
});

test('a write that fails alone is done once', async () => {
  await note('a');
  executed = [];
  await expect(note('a')).rejects.toThrow('UNIQUE constraint failed');
  const begun = ['BEGIN IMMEDIATE', 'PRAGMA data_version'];
  expect(executed).toEqual([...begun, "INSERT INTO noted VALUES ('a')", 'ROLLBACK']);
});

test('of writes of one moment, those that fail are undone alone, and each is made twice at most', async () => {
  let begun = 0;
  const undone = (word: string) =>
    connection.write(() => {
      begun += 1;
      failing(new Error('no'), `INSERT INTO noted VALUES ('not ${word}')`)();
    });
  const words = Array.from({ length: 50 }, (_, number) => `word ${number}`);
  const outcomes = await Promise.allSettled(words.flatMap((word) => [note(word), undone(word)]));
  expect(statuses(outcomes)).toEqual(words.flatMap(() => ['fulfilled', 'rejected']));
  expect(noted()).toEqual(words);
  expect(begun).toBe(51);
  expect(executed.filter((statement) => statement === 'COMMIT')).toHaveLength(1);
});

test('a fault that ends the whole transaction fails each of its writes, and none is done outside of one', async () => {
  const cause = Object.assign(new Error('the disk is full'), { code: 'SQLITE_FULL' });
  const fault = failing(cause, 'ROLLBACK');
  const outcomes = await Promise.allSettled([note('a'), connection.write(fault), note('b')]);
  expect(outcomes).toMatchObject(Array(3).fill({ status: 'rejected', reason: { cause } }));
  expect(noted()).toEqual([]);
  expect(await note('c')).toBe(1);
});

test('a file that could be opened for reading only is told as such before anything is to be written', () => {
  const changeNothing = 'UPDATE noted SET word = word WHERE false';
  connection.tryWrite(() => connection.database.exec(changeNothing));
  const database = new Sqlite(connection.database.name, { readonly: true });
  const readOnly = new Connection(database);
  const cause = expect.objectContaining({ code: 'SQLITE_READONLY' }) as unknown;
  expect(() => {
    readOnly.tryWrite(() => database.exec(changeNothing));
  }).toThrow(expect.objectContaining({ name: 'StoreUnavailableError', cause }));
  database.close();
});

test('after the disk has failed a write, a page is written to find out whether it works again', async () => {
  const changeNothing = () => connection.database.exec('UPDATE noted SET word = word WHERE false');
  const diskFails = Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR_WRITE' });
  await expect(connection.write(failing(diskFails, 'ROLLBACK'))).rejects.toThrow('disk I/O error');
  connection.tryWrite(changeNothing);
  expect(executed.slice(-2)).toEqual(['PRAGMA user_version = 1', 'COMMIT']);
  connection.tryWrite(changeNothing);
  expect(executed.slice(-2)).toEqual(['UPDATE noted SET word = word WHERE false', 'COMMIT']);
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

test('a write checks the rights that are kept, unless another process or a write of the same commit has changed them', async () => {
  const { credential_id: credentialId = '' } = (await requests.findCredential(key)) ?? {};
  const revoked: unknown[] = [];
  const authorised = requestsOf(connection).authorised({
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

test('of writes of one commit, one that fails drops nothing that the others have not changed, and hides no change', async () => {
  await revokedAt();
  const returning = () => connection.write(failing(new Error('too late'), 'UPDATE credential SET revoked_at = NULL'));
  const revoking = connection.write(() => connection.prepare(revokeAll).run());
  const [first, , last] = await Promise.allSettled([returning(), revoking, returning()]);
  expect([first.status, last.status]).toEqual(['rejected', 'rejected']);
  expect(await revokedAt()).toBe('2026-01-02T00:00:00.000Z');
  const { credential_id: credentialId = '' } = (await requests.findCredential(key)) ?? {};
  expect(connection.kept.rights.get(credentialId)?.revoked_at).toBe('2026-01-02T00:00:00.000Z');
});

test('of many rows, those used last are kept, and the setting of a displaced organisation is read anew', async () => {
  const { kept } = connection;
  await requests.findCredential(key);
  const hash = key.toString('latin1');
  const found = kept.credentials.get(hash) as KeptCredential;
  for (let number = 0; number < 10_000; number += 1) kept.settings.set(`organisation ${number}`, { enabled: true });
  executed = [];
  expect(await requests.findCredential(key)).toMatchObject({ prefetched: { verificationEnabled: false } });
  expect(looks()).toBe(1);

  for (let number = 0; number < 12_000; number += 1) {
    kept.credentials.set(`key ${number}`, found);
    kept.rights.set(`credential ${number}`, found.credential);
  }
  expect(kept.credentials.get(hash)).toBeUndefined();
  expect([kept.credentials.size, kept.rights.size]).toEqual([10_000, 10_000]);
  expect([kept.credentials.get('key 1999'), kept.credentials.get('key 2000')]).toEqual([undefined, found]);
  kept.drop();
  expect([kept.credentials.size, kept.rights.size, kept.settings.size, kept.revisions.size]).toEqual([0, 0, 0, 0]);
});
