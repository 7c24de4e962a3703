import { expect, test } from '@jest/globals';
import { declaredFeatures, declaredPermissions } from '../../../src/domain/declared-rights.ts';

test('the permissions and features that exist are those that the document names', () => {
  expect(declaredPermissions).toEqual(['organisation_settings:read', 'organisation_settings:write']);
  expect(declaredFeatures).toEqual(['verification']);
});
