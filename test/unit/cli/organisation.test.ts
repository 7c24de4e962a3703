import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { Organisation } from '../../../src/domain/organisation.ts';
import { saveResult } from '../../store/conformance/fixtures.ts';
import { CliHarness } from '../../support/cli.ts';

let cli: CliHarness;
beforeEach(async () => {
  cli = await CliHarness.start();
});
afterEach(() => cli.stop());

const unknown = 'ffffffff-ffff-4fff-bfff-ffffffffffff';

describe('organisation create', () => {
  test('makes an organisation with its setting off', async () => {
    const created = await cli.json<Organisation>(['organisation', 'create', ' Acme Ltd ']);
    expect(created).toEqual({
      organisation_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: 'Acme Ltd',
      created_at: '2026-03-02T12:00:00.000Z',
      features: [],
      verification_enabled: false,
    });
    expect(await cli.json(['organisation', 'list'])).toEqual([created]);
  });

  test('tells people the identifier', async () => {
    const { exitCode, stdout } = await cli.run(['organisation', 'create', 'Acme Ltd']);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^Created organisation [0-9a-f-]{36}\.\n$/);
  });

  test('gives it each feature once', async () => {
    const features = ['--feature', 'verification', '--feature', 'verification'];
    expect(await cli.json(['organisation', 'create', 'Acme Ltd', ...features])).toMatchObject({
      features: ['verification'],
    });
  });

  test('refuses a feature that no operation knows, and makes nothing', async () => {
    const { exitCode, stdout, stderr } = await cli.run(['organisation', 'create', 'Acme Ltd', '--feature', 'magic']);
    expect([exitCode, stdout]).toEqual([1, '']);
    expect(stderr).toBe('error: Unknown feature magic. Known features: verification.\n');
    expect(await cli.json(['organisation', 'list'])).toEqual([]);
  });

  test('refuses a name that is taken', async () => {
    await cli.addOrganisation('Acme Ltd');
    const { exitCode, stderr } = await cli.run(['organisation', 'create', 'Acme Ltd']);
    expect([exitCode, stderr]).toEqual([1, 'error: An organisation named Acme Ltd already exists.\n']);
  });

  test.each([['  '], ['x'.repeat(256)], ['a\u001b[31mb']])('refuses the name %j', async (name) => {
    const { exitCode, stderr } = await cli.run(['organisation', 'create', name]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('A name must have 1 to 255 characters, none of them a control character.');
    expect(stderr).not.toContain('\u001b');
  });
});

describe('organisation list', () => {
  test('shows each with its features and setting', async () => {
    await cli.run(['organisation', 'create', 'Acme Ltd', '--feature', 'verification']);
    await cli.addOrganisation('Zenith');
    const { stdout } = await cli.run(['organisation', 'list']);
    expect(stdout).toMatch(/^ORGANISATION +NAME +CREATED +FEATURES +VERIFICATION\n/);
    expect(stdout).toMatch(/^[0-9a-f-]{36} +Acme Ltd +2026-03-02T12:00:00\.000Z +verification +off$/m);
    expect(stdout).toMatch(/^[0-9a-f-]{36} +Zenith +2026-03-02T12:00:00\.000Z +- +off$/m);
  });

  test('shows a setting that is on', async () => {
    await cli.withStore((store) =>
      store.createOrganisation({
        organisation_id: unknown,
        name: 'Acme Ltd',
        created_at: '2026-03-02T12:00:00.000Z',
        features: [],
        verification_enabled: true,
      }),
    );
    const shown = async () => (await cli.run(['organisation', 'list'])).stdout;
    expect(await shown()).toMatch(/ on, without the feature$/m);
    await cli.run(['organisation', 'feature', unknown, 'verification', 'on']);
    expect(await shown()).toMatch(/ on$/m);
  });

  test('says where it looked if there is none, and how to make one', async () => {
    const { exitCode, stdout } = await cli.run(['organisation', 'list']);
    expect(exitCode).toBe(0);
    expect(stdout).toBe(
      `No organisations in ${cli.databasePath}. Create one: document-analysis organisation create NAME\n`,
    );
  });
});

describe('organisation feature', () => {
  test('gives a feature and takes it away', async () => {
    const id = await cli.addOrganisation();
    const set = (state: string) => cli.json(['organisation', 'feature', id.toUpperCase(), 'verification', state]);
    expect(await set('on')).toMatchObject({ organisation_id: id, features: ['verification'] });
    expect(await set('on')).toMatchObject({ features: ['verification'] });
    expect(await set('off')).toMatchObject({ features: [] });
    const { stdout } = await cli.run(['organisation', 'feature', id, 'verification', 'on']);
    expect(stdout).toBe('Feature verification is now on for Acme Ltd.\n');
  });

  test('tells what it means for an organisation whose setting is on, which is kept', async () => {
    await cli.withStore((store) =>
      store.createOrganisation({
        organisation_id: unknown,
        name: 'Acme Ltd',
        created_at: '2026-03-02T12:00:00.000Z',
        features: ['verification'],
        verification_enabled: true,
      }),
    );
    await cli.withStore((store) => saveResult(store, unknown, 'content'));
    const set = async (state: string) =>
      (await cli.run(['organisation', 'feature', unknown, 'verification', state])).stdout;
    expect(await set('off')).toBe(
      'Feature verification is now off for Acme Ltd. New analyses run no checks, although the verification setting stays ' +
        'on. Cached results cleared: 1.\n',
    );
    expect(await cli.json(['organisation', 'list'])).toMatchObject([{ verification_enabled: true, features: [] }]);
    expect(await set('on')).toBe(
      'Feature verification is now on for Acme Ltd. New analyses run checks. Cached results cleared: 0.\n',
    );
  });

  test('is audited', async () => {
    const id = await cli.addOrganisation();
    await cli.run(['organisation', 'feature', id, 'verification', 'on']);
    expect(await cli.json(['audit', 'list'])).toMatchObject([
      {
        occurred_at: '2026-03-02T12:00:00.000Z',
        organisation_id: id,
        credential_id: null,
        action: 'organisation.feature.updated',
        before: { feature: 'verification', enabled: false },
        after: { feature: 'verification', enabled: true },
      },
    ]);
    const { stdout } = await cli.run(['audit', 'list']);
    expect(stdout).toMatch(
      new RegExp(`${id} +- +organisation\\.feature\\.updated +verification off +verification on +0 +- +-$`, 'm'),
    );
  });

  test.each(['on', 'off'])('refuses to switch %s a feature that no operation knows', async (state) => {
    const id = await cli.addOrganisation();
    const { exitCode, stderr } = await cli.run(['organisation', 'feature', id, 'verificatoin', state]);
    expect([exitCode, stderr]).toEqual([1, 'error: Unknown feature verificatoin. Known features: verification.\n']);
  });

  test('takes away a feature that operations knew once', async () => {
    const id = await cli.addOrganisation();
    const retired = { organisationId: id, feature: 'retired', enabled: true, occurredAt: '2026-03-02T11:00:00.000Z' };
    await cli.withStore((store) => store.updateFeature(retired));
    expect(await cli.json(['organisation', 'feature', id, 'retired', 'off'])).toMatchObject({ features: [] });
  });

  test('refuses an unknown organisation and says how to list those that exist', async () => {
    const { exitCode, stderr } = await cli.run(['organisation', 'feature', unknown, 'verification', 'on']);
    expect(exitCode).toBe(1);
    expect(stderr).toBe(
      `error: There is no organisation ${unknown}. To see what exists: document-analysis organisation list\n`,
    );
  });

  test('refuses a state other than on and off', async () => {
    const { exitCode, stderr } = await cli.run(['organisation', 'feature', unknown, 'verification', 'maybe']);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('Allowed choices are on, off.');
  });
});
