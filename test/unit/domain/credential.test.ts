import { expect, test } from '@jest/globals';
import { credentialState } from '../../../src/domain/credential.ts';

const moment = '2026-03-02T12:00:00.000Z';

test.each([
  ['active', '2999-01-01T00:00:00.000Z', null, null],
  ['active', '2026-03-02T11:59:59.999Z', moment, null],
  ['expired', moment, moment, null],
  ['revoked', moment, null, moment],
  ['revoked', moment, moment, moment],
])('a credential is %s at %s if it expires at %s and was revoked at %s', (state, at, expires_at, revoked_at) => {
  expect(credentialState({ expires_at, revoked_at }, new Date(at))).toBe(state);
});
