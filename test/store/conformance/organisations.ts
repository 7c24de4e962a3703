import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import type { Organisation } from '../../../src/domain/organisation.ts';
import { ConflictError, NotFoundError } from '../../../src/store/errors.ts';
import type { Store } from '../../../src/store/store.ts';
import { addOrganisation, setFeature } from '../../support/tenants.ts';
import { at, later, unknown } from './fixtures.ts';

export function describeOrganisations(store: () => Store): void {
  describe('organisations', () => {
    const build = (overrides: Partial<Organisation> = {}): Organisation => ({
      organisation_id: randomUUID(),
      name: 'Acme Ltd',
      created_at: at,
      features: ['verification'],
      verification_enabled: false,
      ...overrides,
    });

    test('are listed as they were created, the oldest first', async () => {
      const second = build({ name: 'Second', created_at: later, features: [], verification_enabled: true });
      const first = build();
      await store().createOrganisation(second);
      await store().createOrganisation(first);
      expect(await store().listOrganisations()).toEqual([first, second]);
    });

    test('cannot share a name, and a refused one leaves nothing behind', async () => {
      const first = build();
      await store().createOrganisation(first);
      const refused = store().createOrganisation(build({ features: [] }));
      await expect(refused).rejects.toThrow(ConflictError);
      expect(await store().listOrganisations()).toEqual([first]);
    });

    test('cannot share an identifier', async () => {
      const first = build();
      await store().createOrganisation(first);
      await expect(store().createOrganisation({ ...first, name: 'Another' })).rejects.toThrow(ConflictError);
    });

    test('are given features and lose them, any number of times', async () => {
      const id = await addOrganisation(store(), []);
      const features = async () => (await store().listOrganisations())[0]?.features;
      await setFeature(store(), id, true);
      await setFeature(store(), id, true);
      expect(await features()).toEqual(['verification']);
      await setFeature(store(), id, false);
      await setFeature(store(), id, false);
      expect(await features()).toEqual([]);
    });

    test('are found with the features that they have, and only if they exist', async () => {
      const [some, none] = [await addOrganisation(store(), ['verification']), await addOrganisation(store(), [])];
      expect(await store().findFeatures(some)).toEqual(['verification']);
      expect(await store().findFeatures(none)).toEqual([]);
      expect(await store().findFeatures(unknown)).toBeUndefined();
    });

    test('a feature of an unknown one is refused', async () => {
      await expect(setFeature(store(), unknown, true)).rejects.toThrow(new NotFoundError('organisation', unknown));
    });
  });
}
