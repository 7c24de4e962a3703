import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createDemo, type DemoData } from '../../../src/demo/create-demo.ts';
import { demoOrganisations } from '../../../src/demo/demo-data.ts';
import type { Case } from '../../../src/domain/case.ts';
import { hashSecret, isWellFormedSecret } from '../../../src/domain/secret.ts';
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
    await cli.withStore(async (store) => {
      const mine = (await find(store, made.access_token))?.organisation_id ?? '';
      const other = (await find(store, made.other_access_token))?.organisation_id ?? '';
      const files = (await store.findCase(mine, made.case_id))?.files ?? [];
      expect(files.length).toBeGreaterThanOrEqual(3);
      expect(new Set(files.map((file) => file.analysis_status)).size).toBe(files.length);
      expect(await store.findCase(mine, made.empty_case_id)).toMatchObject({ files: [] });
      expect(await store.findCase(mine, made.other_case_id)).toBeUndefined();
      expect(await store.findCase(other, made.other_case_id)).toBeDefined();
    });
  });

  test('has data that people recognise', async () => {
    const { case_id: caseId, empty_case_id: emptyCaseId, other_case_id: otherCaseId } = await demo();
    const show = (id: string) => cli.json<Case>(['case', 'show', id]);
    expect(await cli.json(['organisation', 'list'])).toMatchObject([
      { name: 'Demo', verification_enabled: false },
      { name: 'Demo without verification', verification_enabled: false },
      { name: 'Demo neighbour', features: ['verification'], verification_enabled: false },
    ]);
    const { files, ...facts } = await show(caseId);
    expect(facts).toMatchObject({
      label: 'Supplier onboarding 1042',
      metadata: { source: 'demo' },
      is_locked: false,
      file_analysis_status: 'waiting_for_file_analysis',
      created_at: '2026-03-02T11:00:00.000Z',
      updated_at: '2026-03-02T12:00:00.000Z',
    });
    expect(files.map((file) => [file.label, file.analysis_status, file.analysis_completed_at])).toEqual([
      ['certificate-of-incorporation.pdf', 'analysis_complete', '2026-03-02T11:50:00.000Z'],
      ['vat-registration.pdf', 'analysis_failed', '2026-03-02T11:50:00.000Z'],
      ['invoice.pdf', 'analysing', null],
      ['bank-statement.pdf', 'waiting_for_upload', null],
    ]);
    for (const file of files)
      expect(file).toMatchObject({
        uploaded_at: '2026-03-02T11:30:00.000Z',
        mime_type: 'application/pdf',
        thumbnail_url: `https://files.document-analysis.example/thumbnails/${file.file_id}.png`,
      });
    expect(await show(emptyCaseId)).toMatchObject({ label: null, files: [] });
    expect(await show(otherCaseId)).toMatchObject({
      label: 'Contract renewal',
      locked_at: '2026-03-02T12:00:00.000Z',
      file_analysis_status: 'file_analysis_complete',
      files: [{ label: 'contract.pdf' }],
    });
  });

  test('lets the first change of the setting clear cached results', async () => {
    const made = await demo();
    await cli.withStore(async (store) => {
      const owner = await find(store, made.owner_key);
      const [organisationId, credentialId] = [owner?.organisation_id ?? '', owner?.credential_id ?? ''];
      const change = { organisationId, enabled: true, credentialId, requestId: 'r', occurredAt: now().toISOString() };
      expect(await store.updateVerificationSetting(change)).toMatchObject({ cleared: 3 });
    });
    await demo();
    const [first] = demoOrganisations(now());
    await cli.withStore(async (store) => {
      expect(await store.countCachedAnalysisResults(first?.organisation_id ?? '')).toBe(0);
    });
  });

  test('is made once: later calls issue fresh secrets alone, and earlier ones stay valid', async () => {
    const first = await demo();
    const second = await demo();
    const secrets = (made: DemoData) => Object.entries(made).filter(([name]) => /key|token|spares/.test(name));
    const all = [first, second].flatMap((made) => [
      ...secrets(made)
        .slice(0, -1)
        .map(([, secret]) => secret as string),
      ...Object.values(made.spares).flat(),
    ]);
    expect(new Set(all).size).toBe(20);
    expect({ ...second, ...Object.fromEntries(secrets(first)) }).toEqual(first);
    await cli.withStore(async (store) => {
      expect(await find(store, first.owner_key)).toMatchObject({ revoked_at: null });
      expect(await store.listOrganisations()).toHaveLength(3);
    });
  });

  test('is the same when several processes make it at once', async () => {
    const made = await Promise.all([demo(), demo(), demo()]);
    expect(new Set(made.map(({ owner_key: key }) => key)).size).toBe(3);
    expect(await cli.json(['case', 'list'])).toHaveLength(3);
  });

  const steps = [
    'createOrganisation',
    'saveCachedAnalysisResult',
    'importCases',
    'addCredential',
    'revokeCredential',
  ] as const satisfies (keyof Store)[];
  test.each(steps)('is completed by a later call when interrupted at %s', async (step) => {
    await cli.withStore(async (store) => {
      for (const survived of [0, 1]) {
        const broken = failingAfter(store, step, survived);
        const interrupted = createDemo(broken, { baseUrl: 'http://127.0.0.1', region: 'uk', now });
        if (step === 'revokeCredential' && survived === 1) await interrupted;
        else await expect(interrupted).rejects.toThrow('interrupted');
      }
    });
    const made = await demo();
    await cli.withStore(async (store) => {
      const owner = await find(store, made.owner_key);
      expect(await store.countCachedAnalysisResults(owner?.organisation_id ?? '')).toBe(3);
      expect(await store.findOwnerOfCase(made.other_case_id)).toBeDefined();
      expect(await store.findOwnerOfCase(made.empty_case_id)).toBe(owner?.organisation_id);
    });
  });

  test('is refused if an organisation of another origin has the name of one of its own', async () => {
    await cli.addOrganisation('Demo');
    expect(await cli.run(['demo'])).toMatchObject({
      exitCode: 1,
      stderr: 'error: An organisation named Demo already exists.\n',
    });
  });

  test('does not take a broken store for a missing case', async () => {
    await cli.withStore(async (store) => {
      const broken = failingAfter(store, 'findOwnerOfCase', 0);
      const made = createDemo(broken, { baseUrl: 'http://127.0.0.1', region: 'uk', now });
      await expect(made).rejects.toThrow('interrupted');
    });
  });

  test.each([
    [[], 'http://127.0.0.1:8080'],
    [['--port', '9000'], 'http://127.0.0.1:9000'],
    [['--host', '0.0.0.0'], 'http://127.0.0.1:8080'],
    [['--host', '::'], 'http://[::1]:8080'],
    [['--host', 'fe80::1'], 'http://[fe80::1]:8080'],
    [['--host', 'api.local'], 'http://api.local:8080'],
  ])('with %j is for %s', async (options, baseUrl) => {
    expect(await demo(...options)).toMatchObject({ base_url: baseUrl, case_base_url: baseUrl });
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
    expect(stdout).toMatch(/^ {2}curl '\S+\/cases\/de3[0-9a-f-]+' --header 'Authorization: Bearer dat_uk_\w{36}'$/m);
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
    importCases: async (...parameters) => {
      await store.importCases(...parameters);
      throw new ConflictError('made meanwhile');
    },
  };
  const made = await createDemo(racing, { baseUrl: 'http://127.0.0.1', region: 'uk', now });
  expect(await store.findOwnerOfCase(made.case_id)).toBeDefined();
  await store.close();
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
