import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { baseUrlOf, isLoopback } from '../../../src/cli/arguments.ts';
import { createDemo, type DemoData } from '../../../src/demo/create-demo.ts';
import { demoOrganisations } from '../../../src/demo/demo-data.ts';
import type { Case } from '../../../src/domain/case.ts';
import { hashSecret, isWellFormedSecret } from '../../../src/domain/credential.ts';
import { thumbnailNameOf } from '../../../src/files/thumbnail-name.ts';
import { readConfig } from '../../../src/runtime/config.ts';
import { ConflictError } from '../../../src/store/errors.ts';
import type { Store } from '../../../src/store/store.ts';
import { CliHarness } from '../../support/cli.ts';
import { overrideStore } from '../../support/override-store.ts';

const now = () => new Date('2026-03-02T12:00:00.000Z');
const find = (store: Store, secret: string) => store.findCredential(hashSecret(secret));
const configOf = (cli: CliHarness) => readConfig({ DATA_DIR: join(cli.folder, 'data') });
const context = (store: Store) => ({ store, baseUrl: 'http://127.0.0.1', now });

/** The store, of which one method fails from such a call on. */
function failingAt(store: Store, method: keyof Store, first: number): Store {
  let calls = 0;
  const call = store[method] as (...parameters: unknown[]) => unknown;
  const failing = (...given: unknown[]) =>
    (calls += 1) >= first ? Promise.reject(new Error('interrupted')) : call(...given);
  return overrideStore(store, { [method]: failing });
}

describe('after earlier calls were interrupted at whatever step', () => {
  let cli: CliHarness;
  let first: DemoData;
  const demo = () => cli.json<DemoData>('demo');
  const show = (id: string) => cli.json<Case>(`case show ${id}`);
  beforeAll(async () => {
    cli = await CliHarness.start();
    await cli.withStore(async (store) => {
      for (const step of ['createOrganisation', 'importCases', 'addFiles', 'completeAnalysis'] as const) {
        const first = step === 'createOrganisation' ? 2 : 1;
        const made = createDemo(configOf(cli), context(failingAt(store, step, first)));
        await expect(made).rejects.toThrow('interrupted');
      }
    });
    first = await cli.json('demo --port 9000');
  });

  test('demo prints exactly what a tester needs: credentials and cases of every state', async () => {
    const keys = 'owner_key member_key viewer_key revoked_key feature_off_key access_token';
    const cases = 'case_id other_access_token other_case_id empty_case_id';
    expect(Object.keys(first).join(' ')).toBe(`base_url case_base_url region ${keys} ${cases} spares`);
    expect([first.base_url, first.region]).toEqual(['http://127.0.0.1:9000', 'uk']);

    await cli.withStore(async (store) => {
      const owner = await find(store, first.owner_key);
      const { organisation_id } = owner ?? {};
      const both = ['organisation_settings:read', 'organisation_settings:write'];
      expect(owner).toMatchObject({ features: ['verification'], permissions: both, revoked_at: null });
      for (const [secret, facts] of [
        ...first.spares.owner_key.map((spare) => [spare, { organisation_id, permissions: both }] as const),
        [first.member_key, { organisation_id, permissions: ['organisation_settings:read'] }],
        [first.viewer_key, { organisation_id, permissions: [] }],
        [first.revoked_key, { organisation_id, revoked_at: now().toISOString() }],
        [first.access_token, { organisation_id, kind: 'access-token' }],
        [first.feature_off_key, { features: [], permissions: both }],
      ] as const)
        expect(await find(store, secret)).toMatchObject({ revoked_at: null, ...facts });
      const featureOff = await find(store, first.feature_off_key);
      const other = await find(store, first.other_access_token);
      const organisations = [owner, featureOff, other].map((credential) => credential?.organisation_id);
      expect(new Set(organisations).size).toBe(3);
      for (const secret of [first.owner_key, first.revoked_key, first.feature_off_key])
        expect(isWellFormedSecret(secret, 'api-key', 'uk')).toBe(true);
      const owners = [first.case_id, first.empty_case_id, first.other_case_id].map((id) => store.findOwnerOfCase(id));
      const [mine, , others] = organisations;
      expect(await Promise.all(owners)).toEqual([mine, mine, others]);
    });
    expect(await cli.json('organisation list')).toMatchObject([
      { name: 'Demo', verification_enabled: false },
      { name: 'Demo without verification', verification_enabled: false },
      { name: 'Demo neighbour', features: ['verification'], verification_enabled: false },
    ]);
    const credentials = await cli.json<{ expires_at: string }[]>('credential list');
    for (const { expires_at: expires } of credentials) expect(expires).toBe('2026-05-01T12:00:00.000Z');

    const { files, ...facts } = await show(first.case_id);
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
    const folder = join(cli.folder, 'data', 'document-analysis-uk-files', 'thumbnails');
    for (const { thumbnail_url: url, analysis_status: status } of files) {
      const name = thumbnailNameOf(url) ?? '';
      expect(url).toBe(`http://127.0.0.1:9000/thumbnails/${name}`);
      expect(existsSync(join(folder, name))).toBe(status !== 'waiting_for_upload');
    }
    expect(await show(first.empty_case_id)).toMatchObject({ label: null, files: [], total_files: 0 });
    expect(await show(first.other_case_id)).toMatchObject({
      label: 'Contract renewal',
      locked_at: now().toISOString(),
      file_analysis_status: 'file_analysis_complete',
      files: [{ label: 'contract.txt' }],
    });
  });

  test('the first change of the setting clears cached results; new demos, made at once, are what they promise whatever was done', async () => {
    await cli.withStore(async (store) => {
      const owner = await find(store, first.owner_key);
      const [organisationId, credentialId] = [owner?.organisation_id ?? '', owner?.credential_id ?? ''];
      const change = { organisationId, enabled: true, credentialId, requestId: 'r', occurredAt: now().toISOString() };
      expect(await store.updateVerificationSetting(change)).toMatchObject({ cleared: 2 });
    });
    await cli.text(`file expect ${first.empty_case_id} letter.txt`);
    await cli.text(`case lock ${first.case_id}`);
    const [own = '', without = ''] = demoOrganisations(now()).map(({ organisation_id: id }) => id);
    await cli.text(`organisation feature ${own} verification off`);
    await cli.text(`organisation feature ${without} verification on`);
    const later = await Promise.all([demo(), demo()]);
    for (const made of later) {
      expect(await show(made.empty_case_id)).toMatchObject({ files: [] });
      expect(await show(made.case_id)).toMatchObject({ is_locked: false, total_files: 4 });
    }
    await cli.withStore(async (store) => {
      for (const made of later) {
        expect(await find(store, made.owner_key)).toMatchObject({ features: ['verification'] });
        expect(await find(store, made.feature_off_key)).toMatchObject({ features: [] });
      }
      expect(await find(store, first.owner_key)).toMatchObject({ revoked_at: null });
      expect(await store.listOrganisations()).toHaveLength(3);
    });
    const strings = ({ spares, base_url: _base, case_base_url: _caseBase, region: _region, ...rest }: DemoData) => [
      ...Object.values(rest),
      ...Object.values(spares).flat(),
    ];
    expect(new Set([first, ...later].flatMap(strings)).size).toBe(39);
  });
});

const cli = CliHarness.forEachTest();

test('it is refused if an organisation of another origin has the name of one of its own, or without a known port', async () => {
  const told = await cli.fails(2, 'demo --port 0');
  expect(told).toBe('error: The port must not be 0 here: give the port of the running server with --port\n');
  await cli.addOrganisation('Demo');
  expect(await cli.fails(1, 'demo')).toBe('error: An organisation named Demo already exists.\n');
});

test('an organisation that another process makes meanwhile does not stop the demo', async () => {
  await cli.withStore(async (store) => {
    const racing: Store = overrideStore(store, {
      createOrganisation: async (organisation) => {
        await store.createOrganisation(organisation);
        throw new ConflictError('made meanwhile');
      },
      importCases: () => Promise.reject(new Error('goes on')),
    });
    await expect(createDemo(configOf(cli), context(racing))).rejects.toThrow('goes on');
    expect(await store.listOrganisations()).toHaveLength(3);
  });
});

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
