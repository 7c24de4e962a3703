import { expect, test } from '@jest/globals';
import { ownDocument } from '../../../contract/document/own-document.ts';
import { declaredFeatures, declaredPermissions } from '../../../src/domain/declared-rights.ts';

test('the permissions and features that exist are those that the document names', () => {
  const { operations } = ownDocument;
  expect(declaredPermissions).toContain('organisation_settings:read');
  expect(new Set(declaredPermissions)).toEqual(new Set(operations.flatMap((each) => each.requiredPermission ?? [])));
  expect(declaredFeatures).toContain('verification');
  expect(new Set(declaredFeatures)).toEqual(new Set(operations.flatMap((each) => each.requiredFeature ?? [])));
});
