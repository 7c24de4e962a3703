/** Who asks: each kind and state of a credential, and each way to present it. */
import fc from 'fast-check';
import type { Baseline } from '../plan/baseline.ts';
import { swapCase } from '../run/mask.ts';
import type { CredentialName, Need, Source } from '../run/model.ts';
import type { Choice } from './choice.ts';
import { type CredentialScheme, credentialSchemes, type Headers, isKey, presented } from './credential-scheme.ts';

type SecretReader = (name: CredentialName) => string;

/** A caller of an operation. */
export interface Caller {
  /** As in `owner_key`, or `a credential that is revoked`. */
  readonly name: string;
  readonly source: Source;
  readonly needs: readonly Need[];
  readonly present: (secret: SecretReader) => Headers;
  /** Whether every kind of request is asked by this caller, rather than a few. */
  readonly isTypical: boolean;
  /** Whether the credential is valid, whatever it is allowed to do. */
  readonly isValid?: boolean;
  /** Whether one of many like it, which makes the plain request in the plain way alone. */
  readonly isOneOfMany?: boolean;
}

/** A caller who presents headers; what is not given is as for one of few requests, whose credential is not valid. */
function caller(
  name: string,
  source: Source,
  needs: readonly Need[],
  present: Caller['present'],
  more: Partial<Caller> = {},
): Caller {
  return { name, source, needs, present, isTypical: false, ...more };
}

/** A caller without a credential, of what needs none. */
export const anonymous = caller('nobody', 'document', [], () => [], { isTypical: true, isValid: true });

/** No secret of this API is longer. */
const mostCharacters = 43;

/** The values of a header in place of that of a valid secret. @param word before the secret, if the scheme has one */
type Wrong = (secret: string, word: string) => readonly string[];

/** A secret that is wrong, after the word of its scheme. */
const wrongSecrets: Readonly<Record<string, (secret: string, seed: number) => readonly string[]>> = {
  malformed: () => ['not a credential'],
  unknown: (secret, seed) => [unknownCredentialLike(secret, seed)],
  truncated: (secret) => [secret.slice(0, -1)],
  'one character changed': (secret, seed) => [changedAt((seed + (secret.length >> 1)) % secret.length, secret)],
  'one half': (secret) => [secret.slice(0, secret.length >> 1)],
  ...Object.fromEntries(
    ['x', '=', '.x', ';x', ',x', '%20', '\u00a0'].map((end) => [`followed by ${end}`, (secret) => [secret + end]]),
  ),
  prepended: (secret) => [`x${secret}`],
  'percent-encoded': (secret) => [`%${secret.charCodeAt(0).toString(16)}${secret.slice(1)}`],
  'in base 64': (secret) => [Buffer.from(secret).toString('base64')],
  'very long': (secret) => [secret.padEnd(2000, 'x')],
  'prefix in capitals': (secret) => [secret.slice(0, 6).toUpperCase() + secret.slice(6)],
  'in quotes': (secret) => [`"${secret}"`],
  'before a word': (secret) => [`${secret} x`],
  'case swapped': (secret) => [swapCase(secret) === secret ? `${secret}A` : swapCase(secret)],
  'doubled header': (secret) => [secret, secret],
  'doubled header invalid last': (secret) => [secret, 'invalid'],
  'doubled header invalid first': (secret) => ['invalid', secret],
  'comma separated': (secret) => [`${secret}, ${secret}`],
};

const wrongValues: Readonly<Record<string, Wrong>> = { empty: () => [''], whitespace: () => [' \t '] };
const wrongWords: Readonly<Record<string, Wrong>> = {
  'word alone': (_secret, word) => [word],
  'word absent': (secret) => [secret],
  'word without space': (secret, word) => [word + secret],
  'word x before': (secret, word) => [`x${word} ${secret}`],
  'another word': (secret, word) => [`${word === 'Basic' ? 'Bearer' : 'Basic'} ${secret}`],
  'word Token': (secret) => [`Token ${secret}`],
  'word Basic then right': (secret, word) => [`Basic x${word.toLowerCase()} ${secret}`],
  'word doubled': (secret, word) => [`${word} ${word} ${secret}`],
};

/** Those that every server refuses. Others may be read from elsewhere, or more leniently. */
const plain =
  /that is (absent|empty|malformed|unknown|truncated|followed by x|one character changed|case swapped|another word|word Basic then right|scheme (?!word).+)$/;

/** All callers of an operation; the first is the one whose requests succeed. */
export function callersOf(baseline: Baseline, seed: number): Caller[] {
  const { document, operation, schemes, isPublic, isOwn, needs } = baseline;
  const [scheme] = schemes;
  if (isPublic) return [anonymous];
  if (!scheme) return [{ ...anonymous, needs }];
  const known = credentialSchemes(document);
  const accepted = operation.security.flat();
  const unaccepted = known.filter(({ name }) => !accepted.includes(name));
  const valid = (name: CredentialName, spell: (secret: string) => Headers = (secret) => presented(scheme, secret)) => ({
    isValid: true,
    ...besideOthers(schemes, scheme, [name], (secret) => spell(secret(name))),
  });
  const same = (name: CredentialName): Caller => ({ name, source: 'interface', isTypical: true, ...valid(name) });
  const refused = schemes.flatMap((each) => refusedCallers(baseline, schemes, each, unaccepted, seed));
  const others = otherAlternatives(baseline, known, seed);
  if (!isOwn) return [same(scheme.credential), ...refused.filter(({ name }) => plain.test(name)), ...others];
  const { word = '', header } = scheme;
  const spellings = { 'lower case': word.toLowerCase(), capitals: word.toUpperCase() };
  const keys = ['owner_key', 'member_key', 'viewer_key', 'feature_off_key'] as const;
  return [
    ...(isKey(scheme) ? keys : (['access_token', 'other_access_token'] as const)).map(same),
    ...refused,
    ...elsewhere(scheme),
    ...beside(scheme, unaccepted),
    ...besideInvalid(scheme, unaccepted),
    ...Object.entries(word === '' ? {} : spellings).map(([name, spelt]): Caller => ({
      name: `a credential whose scheme is in ${name}`,
      isTypical: false,
      source: 'decision',
      ...valid(scheme.credential, (secret) => [[header, `${spelt} ${secret}`]]),
    })),
    ...others,
  ];
}

/** Credentials that a public operation ignores. */
export function ignoredCredentials({ document, isPublic }: Baseline): Choice[] {
  if (!isPublic) return [];
  return credentialSchemes(document).flatMap((scheme) => {
    const variants: Record<string, Headers> = {
      malformed: presented(scheme, 'not a credential'),
      empty: [[scheme.header, '']],
      doubled: [...presented(scheme, 'a'), ...presented(scheme, 'b')],
    };
    // In the query, they would be parameters of the operation.
    return Object.entries(scheme.header.startsWith('?') ? {} : variants).map(([name, headers]): Choice => ({
      name: `a credential of ${scheme.name} that is ${name}`,
      source: 'decision',
      apply: (request) => ({ ...request, headers: [...(request.headers ?? []), ...headers] }),
    }));
  });
}

/** Callers with the schemes of each other alternative that suffices; a server may verify only one of its alternatives. */
function otherAlternatives(baseline: Baseline, known: readonly CredentialScheme[], seed: number): Caller[] {
  const { operation, schemes } = baseline;
  const taken = schemes.map(({ name }) => name);
  const seen = new Set(taken);
  return operation.security
    .filter((names) => names.length > 0 && names.join() !== taken.join())
    .map((names) => names.map((name) => known.find((each) => each.name === name)))
    .filter((found) => found.every((each) => each !== undefined))
    .flatMap((alternative): Caller[] => [
      caller(
        alternative.map(({ name }) => `the credential of ${name}`).join(' and '),
        'document',
        alternative.map(({ credential }) => credential),
        (secret) => alternative.flatMap((each) => presented(each, secret(each.credential))),
        { isValid: true },
      ),
      ...alternative
        .filter(({ name }) => !seen.has(name) && seen.add(name))
        .flatMap((each) => refusedCallers(baseline, alternative, each, [], seed))
        .filter(({ name }) => plain.test(name) && !name.endsWith('absent')),
    ]);
}

/** Headers of one scheme, with valid credentials of those that are required together with it. */
function besideOthers(
  schemes: readonly CredentialScheme[],
  scheme: CredentialScheme,
  from: readonly CredentialName[],
  headers: (secret: SecretReader) => Headers,
): Pick<Caller, 'needs' | 'present'> {
  const others = schemes.filter((other) => other !== scheme);
  return {
    needs: [...from, ...others.map(({ credential }) => credential)],
    present: (secret) => [...headers(secret), ...others.flatMap((other) => presented(other, secret(other.credential)))],
  };
}

/** A caller with each way to get a scheme's header wrong. @param unaccepted the schemes that the operation does not accept */
function refusedCallers(
  { schemes: [first], isOwn, operation }: Baseline,
  schemes: readonly CredentialScheme[],
  scheme: CredentialScheme,
  unaccepted: readonly CredentialScheme[],
  seed: number,
): Caller[] {
  const { header, word = '', credential, refused = {} } = scheme;
  const refusedCaller = (
    name: string,
    from: readonly CredentialName[],
    headers: (secret: SecretReader) => Headers,
  ): Caller => ({
    name: `a credential${scheme === first ? '' : ` of ${scheme.name}`} that is ${name}`,
    source: /^doubled|comma/.test(name) ? 'decision' : isOwn ? 'interface' : 'document',
    isTypical: scheme === first && /^(absent|unknown|revoked|kind .*|scheme .*)$/.test(name),
    ...besideOthers(schemes, scheme, from, headers),
  });
  const shown = (name: string, by: CredentialScheme, from = credential) =>
    refusedCaller(name, [from], (secret) => presented(by, secret(from)));
  /** What is made without the secret needs none. */
  const wrong = (name: string, needsSecret: boolean, headers: (secret: string) => Headers) =>
    refusedCaller(name, needsSecret ? [credential] : [], (secret) => headers(needsSecret ? secret(credential) : ''));
  const values = Object.entries({ ...wrongValues, ...(word === '' ? {} : wrongWords) });
  return [
    refusedCaller('absent', [], () => []),
    ...values.map(([name, make]) =>
      wrong(name, make.length > 0, (secret) => make(secret, word).map((value) => [header, value])),
    ),
    ...Object.entries(wrongSecrets).map(([name, make]) =>
      wrong(name, make.length > 0, (secret) => make(secret, seed).flatMap((value) => presented(scheme, value))),
    ),
    ...(word === '' ? [wrong('scheme word', true, (secret) => [[header, `Bearer ${secret}`]])] : []),
    ...unaccepted.flatMap((other) => [
      shown(`kind ${other.name}`, scheme, other.credential),
      shown(`header ${other.name}`, other),
      shown(`scheme ${other.name}`, other, other.credential),
    ]),
    ...Object.entries(refused).map(([state, from]) => shown(state, scheme, from)),
    // Every character counts, and of a letter the case.
    ...Array.from({ length: isOwn && operation.method === 'get' ? mostCharacters : 0 }, (_none, at) => ({
      ...wrong(`character ${at + 1} changed`, true, (secret) =>
        presented(scheme, changedAt(at % secret.length, secret)),
      ),
      isOneOfMany: true,
    })),
  ];
}

const alphabets = ['0123456789', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz'];

/** Of a shorter part, a random one may be the same. */
const shortestPart = 8;

/** A secret of the same form, with the letters and digits of its last part replaced by others of the same kind. */
function unknownCredentialLike(secret: string, seed: number): string {
  const lastPart = Math.max(secret.lastIndexOf('_'), secret.lastIndexOf('-'), secret.lastIndexOf('.')) + 1;
  const start = secret.length - lastPart < shortestPart ? 0 : lastPart;
  const letters = Array.from(secret.slice(start), (letter) => {
    const alphabet = alphabets.find((candidates) => candidates.includes(letter));
    return alphabet === undefined ? fc.constant(letter) : fc.constantFrom(...Array.from(alphabet));
  });
  const [random = []] = fc.sample(fc.tuple(...letters), { seed, numRuns: 1 });
  const unknown = secret.slice(0, start) + random.join('');
  return unknown === secret ? `${secret}0` : unknown;
}

function changedAt(at: number, secret: string): string {
  const swapped = swapCase(secret.charAt(at));
  const changed = swapped === secret.charAt(at) ? (swapped === '0' ? '1' : '0') : swapped;
  return secret.slice(0, at) + changed + secret.slice(at + 1);
}

const secretNames = ['access_token', 'api_key', 'token'];

const otherHeaders = ['x-api-key', 'X-Auth-Token', 'X-Access-Token', 'X-Api-Token', 'X_Api_Key', 'Authentication'];
const otherWords = ['Bearer', 'ApiKey', 'Token'];

/** A valid secret where the operation does not look for it. */
function elsewhere(scheme: CredentialScheme): Caller[] {
  const { credential, header, word } = scheme;
  const placed = (name: string, headers: (secret: string) => Headers) =>
    caller(`a credential ${name}`, 'interface', [credential], (secret) => headers(secret(credential)));
  const names = [header, header.toLowerCase(), ...secretNames];
  const basic = (pair: string) => `Basic ${Buffer.from(pair).toString('base64')}`;
  const words = word === undefined ? otherWords : [];
  return [
    placed('in the query', (secret) => names.map((name) => [`?${name}`, secret])),
    placed('in a cookie', (secret) => [['Cookie', names.map((name) => `${name}=${secret}`).join('; ')]]),
    placed('as Basic', (secret) => [['Authorization', basic(`${secret}:`)]]),
    placed('as the password of Basic', (secret) => [['Authorization', basic(`user:${secret}`)]]),
    ...words.map((each) => placed(`in Authorization as ${each}`, (secret) => [['Authorization', `${each} ${secret}`]])),
    ...otherHeaders.filter((each) => each !== header).map((each) => placed(`in ${each}`, (secret) => [[each, secret]])),
    placed('of another region', (secret) => presented(scheme, ofAnotherRegion(secret))),
  ];
}

/** A caller with fewer rights, and the secret of one with all of them where the operation does not look for it. */
function beside(scheme: CredentialScheme, unaccepted: readonly CredentialScheme[]): Caller[] {
  const lesser = isKey(scheme) ? 'viewer_key' : 'other_access_token';
  const others = unaccepted.map((other) =>
    caller(`the credential of ${other.name}`, 'decision', [other.credential], (secret) =>
      presented(other, secret(other.credential)),
    ),
  );
  return [...elsewhere(scheme), ...others].map(({ name, present, needs, ...more }) => ({
    ...more,
    name: `${lesser} with ${name.replace(/^a credential/, scheme.credential)}`,
    source: 'decision',
    needs: [lesser, ...needs],
    present: (secret) => [...presented(scheme, secret(lesser)), ...present(secret)],
  }));
}

/** A valid credential, and one of a scheme that the operation does not accept: it is not looked at, whether valid or not. */
function besideInvalid(scheme: CredentialScheme, unaccepted: readonly CredentialScheme[]): Caller[] {
  const { credential } = scheme;
  const besideThat = (
    other: CredentialScheme,
    what: string,
    needs: CredentialName[],
    secret: (read: SecretReader) => string,
  ) =>
    caller(
      `${credential} beside ${what} of ${other.name}`,
      'decision',
      [credential, ...needs],
      (read) => [...presented(scheme, read(credential)), ...presented(other, secret(read))],
      { isValid: true },
    );
  return unaccepted.flatMap((other) => [
    besideThat(other, 'an invalid credential', [], () => 'not a credential'),
    besideThat(other, 'an empty credential', [], () => ''),
    besideThat(other, 'the credential', [other.credential], (read) => read(other.credential)),
  ]);
}

/** A credential names its region (D24). */
function ofAnotherRegion(secret: string): string {
  const moved = secret.replace(/_(uk|ca)_/, (_all, region) => (region === 'uk' ? '_ca_' : '_uk_'));
  return moved === secret ? `ca${secret}` : moved;
}
