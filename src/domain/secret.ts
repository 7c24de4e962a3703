/**
 * The form of a secret: a prefix that names its kind and region, 30 random characters of base 62 (178 bits) and 6 of
 * checksum, as in `dak_uk_…`. Scanners recognise the prefix; a mistyped secret fails the checksum without a look-up.
 */
import { hash, randomInt, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Region } from './region.ts';

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
