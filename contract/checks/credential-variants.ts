import type { CredentialName } from '../run/model.ts';
import { type CredentialScheme, type Headers, presented } from './credential-scheme.ts';
import { unknownCredentialLike } from './well-formed-unknown-credential.ts';

/** A way to present an invalid credential. */
export interface CredentialVariant {
  readonly name: string;
  /** The credentials that it is derived from. */
  readonly from: readonly CredentialName[];
  readonly headers: (secret: (name: CredentialName) => string) => Headers;
}

/** Every way to get a scheme's header wrong. @param unaccepted the schemes that the operation does not accept */
export function credentialVariants(
  scheme: CredentialScheme,
  unaccepted: readonly CredentialScheme[],
  seed: number,
): CredentialVariant[] {
  const raw = (name: string, ...values: string[]): CredentialVariant => ({
    name,
    from: [],
    headers: () => values.map((value) => [scheme.header, value]),
  });
  const made = (name: string, make: (secret: string) => Headers): CredentialVariant => ({
    name,
    from: [scheme.credential],
    headers: (secret) => make(secret(scheme.credential)),
  });
  const changed = (name: string, change: (secret: string) => string) =>
    made(name, (secret) => presented(scheme, change(secret)));
  const doubled = (name: string, values: (secret: string) => readonly string[]) =>
    made(name, (secret) => values(secret).flatMap((value) => presented(scheme, value)));

  return [
    { name: 'absent', from: [], headers: () => [] },
    raw('empty', ''),
    raw('whitespace', ' \t '),
    raw('malformed', ...presented(scheme, 'not a credential').map(([, value]) => value)),
    changed('unknown', (secret) => unknownCredentialLike(secret, seed)),
    changed('truncated', (secret) => secret.slice(0, -1)),
    changed('one-character-changed', changedInTheMiddle),
    changed('appended', (secret) => `${secret}x`),
    changed('prepended', (secret) => `x${secret}`),
    changed('case-swapped', swapCase),
    doubled('doubled-header', (secret) => [secret, secret]),
    doubled('doubled-header-invalid-last', (secret) => [secret, 'invalid']),
    doubled('doubled-header-invalid-first', (secret) => ['invalid', secret]),
    changed('comma-separated', (secret) => `${secret}, ${secret}`),
    ...wordVariants(scheme, raw, made),
    ...unaccepted.flatMap((other) => otherScheme(scheme, other)),
    ...(scheme.refused === undefined ? [] : [refusedVariant(scheme, scheme.refused)]),
  ];
}

function wordVariants(
  { header, word }: CredentialScheme,
  raw: (name: string, ...values: string[]) => CredentialVariant,
  made: (name: string, make: (secret: string) => Headers) => CredentialVariant,
): CredentialVariant[] {
  const before = (name: string, prefix: string) => made(name, (secret) => [[header, prefix + secret]]);
  if (word === undefined) return [before('scheme-word', 'Bearer ')];
  return [
    raw('word-alone', word),
    before('word-absent', ''),
    before('word-without-space', word),
    before('word-x-before', `x${word} `),
    before('word-Basic', 'Basic '),
    before('word-Token', 'Token '),
    before('word-Basic-then-right', `Basic x${word.toLowerCase()} `),
    before('word-doubled', `${word} ${word} `),
  ];
}

function otherScheme(scheme: CredentialScheme, other: CredentialScheme): CredentialVariant[] {
  return [
    {
      name: `kind-${other.name}`,
      from: [other.credential],
      headers: (secret) => presented(scheme, secret(other.credential)),
    },
    {
      name: `header-${other.name}`,
      from: [scheme.credential],
      headers: (secret) => presented(other, secret(scheme.credential)),
    },
    {
      name: `scheme-${other.name}`,
      from: [other.credential],
      headers: (secret) => presented(other, secret(other.credential)),
    },
  ];
}

function refusedVariant(scheme: CredentialScheme, refused: CredentialName): CredentialVariant {
  return { name: 'revoked', from: [refused], headers: (secret) => presented(scheme, secret(refused)) };
}

function changedInTheMiddle(secret: string): string {
  const middle = Math.floor(secret.length / 2);
  return secret.slice(0, middle) + (secret.charAt(middle) === 'a' ? 'b' : 'a') + secret.slice(middle + 1);
}

function swapCase(secret: string): string {
  const swapped = Array.from(secret, (letter) =>
    letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase(),
  );
  return swapped.join('') === secret ? `${secret}A` : swapped.join('');
}
