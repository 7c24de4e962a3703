import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { baseUrlOf, isLoopback } from '../../../src/cli/arguments.ts';
import { createDemo, type DemoData } from '../../../src/demo/create-demo.ts';
import { demoOrganisations } from '../../../src/demo/demo-data.ts';
import type { Case } from '../../../src/domain/case.ts';
import { hashSecret, isWellFormedSecret } from '../../../src/domain/secret.ts';
import { thumbnailNameOf } from '../../../src/files/thumbnail-name.ts';
import { readConfig } from '../../../src/runtime/config.ts';
import { ConflictError } from '../../../src/store/errors.ts';
import { openSqliteStore } from '../../../src/store/sqlite/open.ts';
import type { Store } from '../../../src/store/store.ts';
import { CliHarness } from '../../support/cli.ts';

let cli: CliHarness;
beforeEach(async () => {
  cli = await CliHarness.start();
});
afterEach(() => cli.stop());

const now = () => new Date('2026-03-02T12:00:00.000Z');
const demo = (...options: string[]) => cli.json<DemoData>(['demo', ...options]);
const find = (store: Store, secret: string) => store.findCredential(hashSecret(secret));

describe('demo', () => {
  test('prints exactly what a tester needs', async () => {
    expect(Object.keys(await demo())).toEqual([
      'base_url',
      'case_base_url',
      'region',
      'owner_key',
      'member_key',
      'viewer_key',
      'revoked_key',
      'feature_off_key',
      'access_token',
      'case_id',
      'other_access_token',
      'other_case_id',
      'empty_case_id',
      'spares',
    ]);
  });

  test('makes credentials of every state', async () => {
    const made = await demo();
    await cli.withStore(async (store) => {
      const owner = await find(store, made.owner_key);
      expect(owner).toMatchObject({ features: ['verification'], revoked_at: null });
      for (const secret of made.spares.owner_key)
        expect(await find(store, secret)).toMatchObject({
          organisation_id: owner?.organisation_id,
          permissions: owner?.permissions,
          revoked_at: null,
        });
      expect(owner?.permissions).toHaveLength(2);
      const organisation = { organisation_id: owner?.organisation_id };
      expect((await find(store, made.member_key))?.permissions).toEqual(['organisation_settings:read']);
      expect(await find(store, made.viewer_key)).toMatchObject({ ...organisation, permissions: [] });
      expect(await find(store, made.revoked_key)).toMatchObject({ ...organisation, revoked_at: now().toISOString() });
      expect(await find(store, made.access_token)).toMatchObject({ ...organisation, kind: 'access-token' });
      const featureOff = await find(store, made.feature_off_key);
      expect(featureOff).toMatchObject({ features: [], revoked_at: null });
      expect(featureOff?.permissions).toHaveLength(2);
      const other = await find(store, made.other_access_token);
      const organisations = [owner, featureOff, other].map((credential) => credential?.organisation_id);
      expect(new Set(organisations).size).toBe(3);
      for (const secret of [made.owner_key, made.revoked_key, made.feature_off_key])
        expect(isWellFormedSecret(secret, 'api-key', 'uk')).toBe(true);
    });
  });

  test('makes cases of every state, each belonging to its token', async () => {
    const made = await demo();
    const show = (id: string) => cli.json<Case>(['case', 'show', id]);
    const { files, ...facts } = await show(made.case_id);
    expect(facts).toMatchObject({
      label: 'Supplier onboarding 1042',
      metadata: { source: 'demo' },
      is_locked: false,
      file_analysis_status: 'waiting_for_file_analysis',
      created_at: now().toISOString(),
    });
    const states = files.map((file) => [file.label, file.mime_type, file.analysis_status, file.analysis_completed_at]);
    expect(states.sort()).toEqual([
      ['bank-statement.pdf', 'application/octet-stream', 'waiting_for_upload', null],
      ['certificate-of-incorporation.txt', 'text/plain', 'analysis_complete', now().toISOString()],
      ['invoice.txt', 'text/plain', 'analysis_complete', now().toISOString()],
      ['vat-registration.pdf', 'application/pdf', 'analysis_failed', now().toISOString()],
    ]);
    const names = files.map((file) => thumbnailNameOf(file.thumbnail_url) ?? '');
    expect(files.map((file) => file.thumbnail_url)).toEqual(
      names.map((name) => `http://127.0.0.1:8080/thumbnails/${name}`),
    );
    const isAwaited = (index: number) => files[index]?.analysis_status === 'waiting_for_upload';
    const folder = join(cli.folder, 'data', 'document-analysis-uk-files', 'thumbnails');
    expect(names.map((name) => existsSync(join(folder, name)))).toEqual(names.map((_, index) => !isAwaited(index)));
    expect(await show(made.empty_case_id)).toMatchObject({ label: null, files: [], total_files: 0 });
    expect(await show(made.other_case_id)).toMatchObject({
      label: 'Contract renewal',
      locked_at: now().toISOString(),
      file_analysis_status: 'file_analysis_complete',
      files: [{ label: 'contract.txt' }],
    });
    await cli.withStore(async (store) => {
      const mine = (await find(store, made.access_token))?.organisation_id;
      const other = (await find(store, made.other_access_token))?.organisation_id;
      const owners = [made.case_id, made.empty_case_id, made.other_case_id].map((id) => store.findOwnerOfCase(id));
      expect(await Promise.all(owners)).toEqual([mine, mine, other]);
    });
  });

  test('has organisations that people recognise, and credentials that expire', async () => {
    await demo();
    expect(await cli.json(['organisation', 'list'])).toMatchObject([
      { name: 'Demo', verification_enabled: false },
      { name: 'Demo without verification', verification_enabled: false },
      { name: 'Demo neighbour', features: ['verification'], verification_enabled: false },
    ]);
    const credentials = await cli.json<{ expires_at: string }[]>(['credential', 'list']);
    expect(new Set(credentials.map((credential) => credential.expires_at))).toEqual(
      new Set(['2026-05-01T12:00:00.000Z']),
    );
  });

  test('lets the first change of the setting clear cached results', async () => {
    const made = await demo();
    await cli.withStore(async (store) => {
      const owner = await find(store, made.owner_key);
      const [organisationId, credentialId] = [owner?.organisation_id ?? '', owner?.credential_id ?? ''];
      const change = { organisationId, enabled: true, credentialId, requestId: 'r', occurredAt: now().toISOString() };
      expect(await store.updateVerificationSetting(change)).toMatchObject({ cleared: 2 });
    });
  });

  test('makes what it promises each time, whatever was done with what it made before', async () => {
    const first = await demo();
    const file = join(cli.folder, 'letter.txt');
    await writeFile(file, 'A letter\n');
    await cli.json(['file', 'add', first.empty_case_id, file]);
    await cli.json(['case', 'lock', first.case_id]);
    const ids = demoOrganisations(now()).map((organisation) => organisation.organisation_id);
    await cli.json(['organisation', 'feature', ids[0] ?? '', 'verification', 'off']);
    await cli.json(['organisation', 'feature', ids[1] ?? '', 'verification', 'on']);
    const second = await demo();
    expect(await cli.json(['case', 'show', second.empty_case_id])).toMatchObject({ files: [] });
    expect(await cli.json(['case', 'show', second.case_id])).toMatchObject({ is_locked: false, total_files: 4 });
    await cli.withStore(async (store) => {
      expect(await find(store, second.owner_key)).toMatchObject({ features: ['verification'] });
      expect(await find(store, second.feature_off_key)).toMatchObject({ features: [] });
      expect(await find(store, first.owner_key)).toMatchObject({ revoked_at: null });
      expect(await store.listOrganisations()).toHaveLength(3);
    });
    const strings = ({ spares, base_url: _base, case_base_url: _caseBase, region: _region, ...rest }: DemoData) => [
      ...Object.values(rest),
      ...Object.values(spares).flat(),
    ];
    expect(new Set([first, second].flatMap(strings)).size).toBe(26);
  });

  test('can be made by several processes at once', async () => {
    const made = await Promise.all([demo(), demo(), demo()]);
    expect(new Set(made.map(({ owner_key: key }) => key)).size).toBe(3);
    expect(await cli.json(['case', 'list'])).toHaveLength(9);
  });

  const steps = [
    'createOrganisation',
    'importCases',
    'addFiles',
    'completeAnalysis',
    'addCredential',
  ] as const satisfies (keyof Store)[];
  test.each(steps)('is made by a later call when interrupted at %s', async (step) => {
    await cli.withStore(async (store) => {
      await expect(createDemo(config(), context(failingAfter(store, step, 1)))).rejects.toThrow('interrupted');
    });
    const made = await demo();
    expect(await cli.json(['case', 'show', made.case_id])).toMatchObject({ total_files: 4 });
  });

  test('is refused if an organisation of another origin has the name of one of its own', async () => {
    await cli.addOrganisation('Demo');
    expect(await cli.run(['demo'])).toMatchObject({
      exitCode: 1,
      stderr: 'error: An organisation named Demo already exists.\n',
    });
  });

  test('follows the region', async () => {
    const made = await demo('--region', 'ca');
    expect(made.region).toBe('ca');
    expect(isWellFormedSecret(made.owner_key, 'api-key', 'ca')).toBe(true);
  });

  test('needs a port that is known', async () => {
    expect(await cli.run(['demo', '--port', '0'])).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: 'error: The port must not be 0 here: give the port of the running server with --port\n',
    });
  });

  test('gives people commands to paste', async () => {
    const { exitCode, stdout } = await cli.run(['demo', '--port', '9000']);
    expect(exitCode).toBe(0);
    const setting = "'http://127.0.0.1:9000/organisations/features/verification' --header 'x-api-key: dak_uk_\\w{36}'";
    expect(stdout).toMatch(new RegExp(`^  curl ${setting}$`, 'm'));
    expect(stdout).toMatch(new RegExp(`^  curl --request PUT ${setting} .*--data '{"enabled": true}'$`, 'm'));
    expect(stdout).toMatch(/^ {2}curl '\S+\/cases\/[0-9a-f-]{36}' --header 'Authorization: Bearer dat_uk_\w{36}'$/m);
  });
});

test('an organisation that another process makes meanwhile does not stop the demo', async () => {
  const store = openSqliteStore(cli.databasePath);
  const racing: Store = {
    ...store,
    createOrganisation: async (organisation) => {
      await store.createOrganisation(organisation);
      throw new ConflictError('made meanwhile');
    },
  };
  const made = await createDemo(config(), context(racing));
  expect(await store.findOwnerOfCase(made.case_id)).toBeDefined();
  await store.close();
});

const config = () => readConfig({ DATA_DIR: join(cli.folder, 'data') });
const context = (store: Store) => ({ store, baseUrl: 'http://127.0.0.1', now });

test.each([
  ['127.0.0.1', 'http://127.0.0.1:80', true],
  ['127.8.0.1', 'http://127.8.0.1:80', true],
  ['::1', 'http://[::1]:80', true],
  ['::ffff:127.0.0.1', 'http://[::ffff:127.0.0.1]:80', true],
  ['localhost', 'http://localhost:80', true],
  ['0.0.0.0', 'http://127.0.0.1:80', false],
  ['::', 'http://[::1]:80', false],
  ['fe80::1', 'http://[fe80::1]:80', false],
  ['192.0.2.1', 'http://192.0.2.1:80', false],
])('a server on the host "%s" is reached at %s, from this machine alone: %s', async (host, url, isAlone) => {
  expect([baseUrlOf(host, 80), await isLoopback(host)]).toEqual([url, isAlone]);
});

/** The store, of which one method fails from some call on. */
function failingAfter(store: Store, method: keyof Store, survived: number): Store {
  let calls = 0;
  return new Proxy(store, {
    get: (target, name) => {
      if (name === method && (calls += 1) > survived) return () => Promise.reject(new Error('interrupted'));
      return Reflect.get(target, name) as unknown;
    },
  });
}
