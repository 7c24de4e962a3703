import { describe, expect, test } from '@jest/globals';
import type { Organisation } from '../../../src/domain/organisation.ts';
import { saveResult, unknown } from '../../store/conformance/fixtures.ts';
import { CliHarness } from '../../support/cli.ts';

const cli = CliHarness.forEachTest();
const acme: Organisation = {
  organisation_id: unknown,
  name: 'Acme Ltd',
  created_at: '2026-03-02T12:00:00.000Z',
  features: [],
  verification_enabled: false,
};

const addVerified = (features: string[]) =>
  cli.withStore((store) => store.createOrganisation({ ...acme, features, verification_enabled: true }));

describe('organisation create', () => {
  test('makes an organisation with its setting off, and tells people the identifier', async () => {
    const created = await cli.json<Organisation>(['organisation', 'create', ' Acme Ltd ']);
    expect(created).toEqual({ ...acme, organisation_id: expect.stringMatching(/^[0-9a-f-]{36}$/) });
    expect(await cli.json('organisation list')).toEqual([created]);
    expect(await cli.text('organisation create Other')).toMatch(/^Created organisation [0-9a-f-]{36}\.\n$/);
  });

  test('gives it each feature once', async () => {
    const created = await cli.json('organisation create Acme --feature verification --feature verification');
    expect(created).toMatchObject({ features: ['verification'] });
  });

  test('refuses a feature that no operation knows and a name that is taken, and makes nothing', async () => {
    await cli.addOrganisation();
    expect(await cli.fails(1, 'organisation create Other --feature magic')).toBe(
      'error: Unknown feature magic. Known features: verification.\n',
    );
    expect(await cli.fails(1, ['organisation', 'create', 'Acme Ltd'])).toBe(
      'error: An organisation named Acme Ltd already exists.\n',
    );
    expect(await cli.json('organisation list')).toHaveLength(1);
  });

  test.each([['  '], ['x'.repeat(256)], ['a\u001b[31mb']])('refuses the name %j', async (name) => {
    const told = await cli.fails(2, ['organisation', 'create', name]);
    expect(told).toContain('A name must have 1 to 255 characters, none of them a control character.');
    expect(told).not.toContain('\u001b');
  });
});

test('organisation list shows each with its features and setting', async () => {
  await cli.text('organisation create Acme --feature verification');
  await cli.addOrganisation('Zenith');
  const text = await cli.text('organisation list');
  expect(text).toMatch(/^ORGANISATION +NAME +CREATED +FEATURES +VERIFICATION\n/);
  expect(text).toMatch(/^[0-9a-f-]{36} +Acme +2026-03-02T12:00:00\.000Z +verification +off$/m);
  expect(text).toMatch(/^[0-9a-f-]{36} +Zenith +2026-03-02T12:00:00\.000Z +- +off$/m);
});

test('organisation list shows a setting that is on', async () => {
  await addVerified([]);
  expect(await cli.text('organisation list')).toMatch(/ on, without the feature$/m);
  await cli.text(`organisation feature ${unknown} verification on`);
  expect(await cli.text('organisation list')).toMatch(/ on$/m);
});

describe('organisation feature', () => {
  test('gives a feature and takes it away', async () => {
    const id = await cli.addOrganisation();
    const set = (state: string) => cli.json(`organisation feature ${id.toUpperCase()} verification ${state}`);
    expect(await set('on')).toMatchObject({ organisation_id: id, features: ['verification'] });
    expect(await set('on')).toMatchObject({ features: ['verification'] });
    expect(await set('off')).toMatchObject({ features: [] });
    expect(await cli.text(`organisation feature ${id} verification on`)).toBe(
      'Feature verification is now on for Acme Ltd.\n',
    );
  });

  test('tells what it means for an organisation whose setting is on, which is kept', async () => {
    await addVerified(['verification']);
    await cli.withStore((store) => saveResult(store, unknown, 'content'));
    const set = (state: string) => cli.text(`organisation feature ${unknown} verification ${state}`);
    expect(await set('off')).toBe(
      'Feature verification is now off for Acme Ltd. New analyses run no checks, although the verification setting stays ' +
        'on. Cached results cleared: 1.\n',
    );
    expect(await cli.json('organisation list')).toMatchObject([{ verification_enabled: true, features: [] }]);
    expect(await set('on')).toBe(
      'Feature verification is now on for Acme Ltd. New analyses run checks. Cached results cleared: 0.\n',
    );
  });

  test('is audited', async () => {
    const id = await cli.addOrganisation();
    await cli.text(`organisation feature ${id} verification on`);
    expect(await cli.text('audit list')).toMatch(
      new RegExp(`${id} +- +organisation\\.feature\\.updated +verification off +verification on +0 +- +-$`, 'm'),
    );
  });

  test.each(['on', 'off'])('refuses to switch %s a feature that no operation knows', async (state) => {
    expect(await cli.fails(1, `organisation feature ${await cli.addOrganisation()} verificatoin ${state}`)).toBe(
      'error: Unknown feature verificatoin. Known features: verification.\n',
    );
  });

  test('takes away a feature that operations knew once', async () => {
    const id = await cli.addOrganisation();
    const retired = { organisationId: id, feature: 'retired', enabled: true, occurredAt: '2026-03-02T11:00:00.000Z' };
    await cli.withStore((store) => store.updateFeature(retired));
    expect(await cli.json(`organisation feature ${id} retired off`)).toMatchObject({ features: [] });
  });
});
