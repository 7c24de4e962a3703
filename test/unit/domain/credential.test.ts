import { describe, expect, test } from '@jest/globals';
import { credentialState } from '../../../src/domain/credential.ts';

const moment = '2026-03-02T12:00:00.000Z';
const at = (time: string) => new Date(time);

describe('a credential', () => {
  test('without expiry stays active', () => {
    expect(credentialState({ expires_at: null, revoked_at: null }, at('2999-01-01T00:00:00.000Z'))).toBe('active');
  });

  test('expires at its very moment, not before', () => {
    const credential = { expires_at: moment, revoked_at: null };
    expect(credentialState(credential, at('2026-03-02T11:59:59.999Z'))).toBe('active');
    expect(credentialState(credential, at(moment))).toBe('expired');
  });

  test('that is revoked is so whatever its expiry', () => {
    expect(credentialState({ expires_at: null, revoked_at: moment }, at(moment))).toBe('revoked');
    expect(credentialState({ expires_at: moment, revoked_at: moment }, at(moment))).toBe('revoked');
  });
});
