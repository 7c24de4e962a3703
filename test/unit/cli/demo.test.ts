import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
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

const cli = CliHarness.forEachTest();
const now = () => new Date('2026-03-02T12:00:00.000Z');
const demo = (options = '') => cli.json<DemoData>(`demo${options}`);
const find = (store: Store, secret: string) => store.findCredential(hashSecret(secret));
const config = () => readConfig({ DATA_DIR: join(cli.folder, 'data') });
const context = (store: Store) => ({ store, baseUrl: 'http://127.0.0.1', now });

/** The store, of which one method fails from its second call on. */
function failingAt(store: Store, method: keyof Store): Store {
  let calls = 0;
  const call = store[method] as (...parameters: unknown[]) => unknown;
  const interrupted = () => Promise.reject(new Error('interrupted'));
  return overrideStore(store, {
    [method]: (...given: unknown[]) => ((calls += 1) > 1 ? interrupted() : call(...given)),
  });
}

test('demo prints exactly what a tester needs: credentials and cases of every state', async () => {
  const made = await demo();
  const keys = 'owner_key member_key viewer_key revoked_key feature_off_key access_token';
  const cases = 'case_id other_access_token other_case_id empty_case_id';
  expect(Object.keys(made).join(' ')).toBe(`base_url case_base_url region ${keys} ${cases} spares`);

  await cli.withStore(async (store) => {
    const owner = await find(store, made.owner_key);
    const organisation = { organisation_id: owner?.organisation_id };
    expect(owner).toMatchObject({ features: ['verification'], revoked_at: null });
    expect(owner?.permissions).toHaveLength(2);
    const like = { ...organisation, permissions: owner?.permissions, revoked_at: null };
    for (const secret of made.spares.owner_key) expect(await find(store, secret)).toMatchObject(like);
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
    const owners = [made.case_id, made.empty_case_id, made.other_case_id].map((id) => store.findOwnerOfCase(id));
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

  const show = (id: string) => cli.json<Case>(`case show ${id}`);
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
  const folder = join(cli.folder, 'data', 'document-analysis-uk-files', 'thumbnails');
  for (const { thumbnail_url: url, analysis_status: status } of files) {
    const name = thumbnailNameOf(url) ?? '';
    expect(url).toBe(`http://127.0.0.1:8080/thumbnails/${name}`);
    expect(existsSync(join(folder, name))).toBe(status !== 'waiting_for_upload');
  }
  expect(await show(made.empty_case_id)).toMatchObject({ label: null, files: [], total_files: 0 });
  expect(await show(made.other_case_id)).toMatchObject({
    label: 'Contract renewal',
    locked_at: now().toISOString(),
    file_analysis_status: 'file_analysis_complete',
    files: [{ label: 'contract.txt' }],
  });
});

test('the first change of the setting clears cached results; a new demo is what it promises whatever was done', async () => {
  const first = await demo();
  await cli.withStore(async (store) => {
    const owner = await find(store, first.owner_key);
    const [organisationId, credentialId] = [owner?.organisation_id ?? '', owner?.credential_id ?? ''];
    const change = { organisationId, enabled: true, credentialId, requestId: 'r', occurredAt: now().toISOString() };
    expect(await store.updateVerificationSetting(change)).toMatchObject({ cleared: 2 });
  });
  await cli.text(`file add ${first.empty_case_id} ${await cli.write('letter.txt', 'A letter\n')}`);
  await cli.text(`case lock ${first.case_id}`);
  const [own = '', without = ''] = demoOrganisations(now()).map(({ organisation_id: id }) => id);
  await cli.text(`organisation feature ${own} verification off`);
  await cli.text(`organisation feature ${without} verification on`);
  const second = await demo();
  expect(await cli.json(`case show ${second.empty_case_id}`)).toMatchObject({ files: [] });
  expect(await cli.json(`case show ${second.case_id}`)).toMatchObject({ is_locked: false, total_files: 4 });
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

test('several processes can make it at once', async () => {
  const made = await Promise.all([demo(), demo()]);
  expect(new Set(made.map(({ owner_key: key }) => key)).size).toBe(2);
  expect(await cli.json('case list')).toHaveLength(6);
});

test('a later call makes it, at whatever step earlier ones were interrupted', async () => {
  // Results are cached: what completes an analysis is called while there are none.
  const steps = ['createOrganisation', 'completeAnalysis', 'addFiles', 'importCases', 'addCredential'] as const;
  await cli.withStore(async (store) => {
    for (const step of steps)
      await expect(createDemo(config(), context(failingAt(store, step)))).rejects.toThrow('interrupted');
  });
  expect(await cli.json(`case show ${(await demo()).case_id}`)).toMatchObject({ total_files: 4 });
});

test('it is refused if an organisation of another origin has the name of one of its own, or without a known port', async () => {
  expect(await cli.fails(2, 'demo --port 0')).toBe(
    'error: The port must not be 0 here: give the port of the running server with --port\n',
  );
  await cli.addOrganisation('Demo');
  expect(await cli.fails(1, 'demo')).toBe('error: An organisation named Demo already exists.\n');
});

test('it follows the region, and gives people commands to paste', async () => {
  const text = await cli.text('demo --port 9000 --region ca');
  const setting = "'http://127.0.0.1:9000/organisations/features/verification' --header 'x-api-key: dak_ca_\\w{36}'";
  expect(text).toMatch(new RegExp(`^  curl ${setting}$`, 'm'));
  expect(text).toMatch(new RegExp(`^  curl --request PUT ${setting} .*--data '{"enabled": true}'$`, 'm'));
  expect(text).toMatch(/^ {2}curl '\S+\/cases\/[0-9a-f-]{36}' --header 'Authorization: Bearer dat_ca_\w{36}'$/m);
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
    await expect(createDemo(config(), context(racing))).rejects.toThrow('goes on');
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

test('a host with the name of a property is reached by its name', () => {
  expect(baseUrlOf('toString', 80)).toBe('http://toString:80');
});
