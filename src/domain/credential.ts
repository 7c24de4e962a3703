import { hash, randomInt, randomUUID, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Region } from './region.ts';
import { millisecondsOfDay } from './time.ts';

/** An issued credential, without its secret. Times are ISO 8601 in UTC. */
export interface Credential {
  credential_id: string;
  organisation_id: string;
  kind: CredentialKind;
  /** The role of an API key; null for an access token. */
  role: string | null;
  created_at: string;
  /** The credential is refused from this time on; null if it does not expire. */
  expires_at: string | null;
  revoked_at: string | null;
}

export interface ListedCredential extends Credential {
  /** When it was last used, recorded with a delay of up to a minute; null if no use has been recorded. */
  last_used_at: string | null;
}

export type CredentialState = 'active' | 'expired' | 'revoked';

export function credentialState(credential: Pick<Credential, 'expires_at' | 'revoked_at'>, now: Date): CredentialState {
  if (credential.revoked_at !== null) return 'revoked';
  if (credential.expires_at !== null && Date.parse(credential.expires_at) <= now.getTime()) return 'expired';
  return 'active';
}

export const daysOfExpiryWarning = 30;

export function expiresSoon(credential: Pick<Credential, 'expires_at' | 'revoked_at'>, now: Date): boolean {
  const then = new Date(now.getTime() + daysOfExpiryWarning * millisecondsOfDay);
  return credentialState(credential, now) === 'active' && credentialState(credential, then) === 'expired';
}

export interface IssuedCredential extends Credential {
  secret: string;
}

/** Issues a credential and stores the hash of its secret. @throws {NotFoundError} if organisation or role are unknown */
export async function issueCredential(
  store: { addCredential(credential: Credential, secretSha256: Buffer): Promise<void> },
  region: Region,
  request: Pick<Credential, 'organisation_id' | 'kind' | 'role' | 'created_at' | 'expires_at'>,
): Promise<IssuedCredential> {
  const credential: Credential = { credential_id: randomUUID(), ...request, revoked_at: null };
  const secret = generateSecret(credential.kind, region);
  await store.addCredential(credential, hashSecret(secret));
  return { ...credential, secret };
}

/**
 * The form of a secret: a prefix that names its kind and region, 30 random characters of base 62 (178 bits) and 6 of
 * checksum, as in `dak_uk_…`. Scanners recognise the prefix; a mistyped secret fails the checksum without a look-up.
 */
const prefixes = { 'api-key': 'dak', 'access-token': 'dat' } as const;
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const randomLength = 30;
const checksumLength = 6;
const wellFormed = new RegExp(`^[0-9A-Za-z]{${randomLength + checksumLength}}$`);

/** API keys authenticate the organisation operations, access tokens the case operation. */
export type CredentialKind = keyof typeof prefixes;

export const credentialKinds = Object.keys(prefixes) as CredentialKind[];

export function generateSecret(kind: CredentialKind, region: Region): string {
  const random = Array.from({ length: randomLength }, () => alphabet[randomInt(alphabet.length)]).join('');
  const body = prefixOf(kind, region) + random;
  return body + checksum(body);
}

/** Whether a text is a well-formed secret of this kind and region, checksum included. It may still be unknown. */
export function isWellFormedSecret(text: string, kind: CredentialKind, region: Region): boolean {
  const prefix = prefixOf(kind, region);
  if (!text.startsWith(prefix) || !wellFormed.test(text.slice(prefix.length))) return false;
  return checksum(text.slice(0, -checksumLength)) === text.slice(-checksumLength);
}

/** The only form in which a secret is stored. By way of a string, since Node.js takes three times as long to make a buffer itself. */
export function hashSecret(secret: string): Buffer {
  return Buffer.from(hash('sha256', secret, 'binary'), 'binary');
}

export function hashesMatch(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}

function prefixOf(kind: CredentialKind, region: Region): string {
  return `${prefixes[kind]}_${region}_`;
}

function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let index = 0; index < checksumLength; index += 1) {
    digits = alphabet.charAt(rest % alphabet.length) + digits;
    rest = Math.floor(rest / alphabet.length);
  }
  return digits;
}
