/** Who asks: each kind and state of a credential, and each way to present it. */
import fc from 'fast-check';
import type { Choice } from './choice.ts';
import type { Baseline } from '../plan/baseline.ts';
import type { CredentialName, Need, Source } from '../run/model.ts';
import { type CredentialScheme, credentialSchemes, type Headers, isKey, presented } from './credential-scheme.ts';

type SecretReader = (name: CredentialName) => string;

/** A caller of an operation. */
export interface Caller {
  /** As in `owner_key`, or `a credential that is revoked`. */
  readonly name: string;
  readonly source: Source;
  readonly needs: readonly Need[];
  /** The headers of the credential, and the query if it is sent there. */
  readonly present: (secret: SecretReader) => { headers: Headers; query?: string };
  /** Whether every kind of request is asked by this caller, rather than a few. */
  readonly isTypical: boolean;
  /** Whether the credential is valid, whatever it is allowed to do. */
  readonly isValid?: boolean;
}

/** Spellings of the name of a credential, where a server might look for it. */
const secretNames = ['access_token', 'api_key', 'token'];

/** All callers of an operation; the first is the one whose requests succeed. */
export function callersOf(baseline: Baseline, seed: number): Caller[] {
  const { document, operation, schemes, isPublic, isOwn, needs } = baseline;
  const [scheme] = schemes;
  if (isPublic) return [anonymous];
  if (!scheme) return [{ ...anonymous, needs }];
  const accepted = operation.security.flat();
  const unaccepted = credentialSchemes(document).filter(({ name }) => !accepted.includes(name));
  const valid = (name: CredentialName, spell: (secret: string) => Headers = (secret) => presented(scheme, secret)) => ({
    isValid: true,
    ...besideOthers(schemes, scheme, [name], (secret) => spell(secret(name))),
  });
  const same = (name: CredentialName): Caller => ({ name, source: 'interface', isTypical: true, ...valid(name) });
  const refused = schemes.flatMap((each) => refusedCallers(baseline, schemes, each, unaccepted, seed));
  const alternatives = alternativesOf(baseline);
  const seen = new Set(schemes.map(({ name }) => name));
  const others = alternatives.flatMap((alternative): Caller[] => [
    {
      name: alternative.map(({ name }) => `the credential of ${name}`).join(' and '),
      source: 'document',
      isTypical: false,
      isValid: true,
      needs: alternative.map(({ credential }) => credential),
      present: (secret) => ({ headers: alternative.flatMap((each) => presented(each, secret(each.credential))) }),
    },
    // A server may verify only one of its alternatives.
    ...alternative
      .filter(({ name }) => !seen.has(name) && seen.add(name))
      .flatMap((each) => refusedCallers(baseline, alternative, each, [], seed))
      .filter((caller) => isPlain(caller) && !caller.name.endsWith('absent')),
  ]);
  if (!isOwn) return [same(scheme.credential), ...refused.filter(isPlain), ...others];
  return [
    ...(isKey(scheme)
      ? (['owner_key', 'member_key', 'viewer_key', 'feature_off_key'] as const).map(same)
      : (['access_token', 'other_access_token'] as const).map(same)),
    ...refused,
    ...elsewhere(scheme),
    ...beside(scheme),
    ...spellingsOf(scheme).map(([name, spell]): Caller => ({
      name: `a credential ${name}`,
      isTypical: false,
      source: 'decision',
      ...valid(scheme.credential, spell),
    })),
    ...others,
  ];
}

/** A caller without a credential, of what needs none. */
export const anonymous: Caller = {
  name: 'nobody',
  source: 'document',
  needs: [],
  present: () => ({ headers: [] }),
  isTypical: true,
  isValid: true,
};

/** Credentials that a public operation ignores. */
export function ignoredCredentials({ document, isPublic }: Baseline): Choice[] {
  if (!isPublic) return [];
  return credentialSchemes(document).flatMap((scheme) => {
    const variants: [name: string, headers: Headers][] = [
      ['malformed', presented(scheme, 'not a credential')],
      ['empty', [[scheme.header, '']]],
      ['doubled', [...presented(scheme, 'a'), ...presented(scheme, 'b')]],
    ];
    return variants
      .filter(([, [header]]) => header?.[0].startsWith('?') === false)
      .map(([name, headers]): Choice => ({
        name: `a credential of ${scheme.name} that is ${name}`,
        source: 'decision',
        apply: (request) => ({ ...request, headers: [...(request.headers ?? []), ...headers] }),
      }));
  });
}

/** The schemes of each other alternative that suffices. */
function alternativesOf({ document, operation, schemes }: Baseline): CredentialScheme[][] {
  const known = credentialSchemes(document);
  const taken = schemes.map(({ name }) => name).join();
  return operation.security
    .filter((names) => names.length > 0 && names.join() !== taken)
    .map((names) => names.map((name) => known.find((each) => each.name === name)))
    .filter((found) => found.every((each) => each !== undefined));
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
    present: (secret) => ({
      headers: [...headers(secret), ...others.flatMap((other) => presented(other, secret(other.credential)))],
    }),
  };
}

/** A caller with each variant of a credential, beside the valid ones of the schemes that are required together with its own. */
function refusedCallers(
  { schemes: [first], isOwn }: Baseline,
  schemes: readonly CredentialScheme[],
  scheme: CredentialScheme,
  unaccepted: readonly CredentialScheme[],
  seed: number,
): Caller[] {
  const of = scheme === first ? '' : ` of ${scheme.name}`;
  return variantsOf(scheme, unaccepted, seed).map(([name, from, headers]) => ({
    name: `a credential${of} that is ${name.replaceAll('-', ' ')}`,
    source: /^doubled|comma/.test(name) ? 'decision' : isOwn ? 'interface' : 'document',
    isTypical: scheme === first && /^(absent|unknown|revoked|kind-.*|scheme-.*)$/.test(name),
    ...besideOthers(schemes, scheme, from, headers),
  }));
}

/** The variants that every server refuses. Others may be read from elsewhere, or more leniently. */
function isPlain({ name }: Caller): boolean {
  return /that is (absent|empty|malformed|unknown|one character changed)$/.test(name);
}

type Variant = readonly [
  name: string,
  /** The credentials that it is derived from. */
  from: readonly CredentialName[],
  headers: (secret: SecretReader) => Headers,
];

/** Every way to get a scheme's header wrong. @param unaccepted the schemes that the operation does not accept */
function variantsOf(scheme: CredentialScheme, unaccepted: readonly CredentialScheme[], seed: number): Variant[] {
  const { header, word, credential, refused } = scheme;
  const raw = (name: string, value: string): Variant => [name, [], () => [[header, value]]];
  const made = (name: string, make: (secret: string) => Headers, from = credential): Variant => [
    name,
    [from],
    (secret) => make(secret(from)),
  ];
  const before = (name: string, prefix: string) => made(name, (secret) => [[header, prefix + secret]]);
  const changed = (name: string, change: (secret: string) => string) =>
    made(name, (secret) => presented(scheme, change(secret)));
  const doubled = (name: string, values: (secret: string) => readonly string[]) =>
    made(name, (secret) => values(secret).flatMap((value) => presented(scheme, value)));
  return [
    ['absent', [], () => []],
    raw('empty', ''),
    raw('whitespace', ' \t '),
    ['malformed', [], () => presented(scheme, 'not a credential')],
    changed('unknown', (secret) => unknownCredentialLike(secret, seed)),
    changed('truncated', (secret) => secret.slice(0, -1)),
    changed('one-character-changed', changedInTheMiddle),
    changed('last-character-changed', (secret) => secret.slice(0, -1) + (secret.endsWith('a') ? 'b' : 'a')),
    changed('appended', (secret) => `${secret}x`),
    changed('prepended', (secret) => `x${secret}`),
    changed('case-swapped', swapCase),
    doubled('doubled-header', (secret) => [secret, secret]),
    doubled('doubled-header-invalid-last', (secret) => [secret, 'invalid']),
    doubled('doubled-header-invalid-first', (secret) => ['invalid', secret]),
    changed('comma-separated', (secret) => `${secret}, ${secret}`),
    ...(word === undefined
      ? [before('scheme-word', 'Bearer ')]
      : [
          raw('word-alone', word),
          before('word-absent', ''),
          before('word-without-space', word),
          before('word-x-before', `x${word} `),
          before('word-Basic', 'Basic '),
          before('word-Token', 'Token '),
          before('word-Basic-then-right', `Basic x${word.toLowerCase()} `),
          before('word-doubled', `${word} ${word} `),
        ]),
    ...unaccepted.flatMap((other) => [
      made(`kind-${other.name}`, (secret) => presented(scheme, secret), other.credential),
      made(`header-${other.name}`, (secret) => presented(other, secret)),
      made(`scheme-${other.name}`, (secret) => presented(other, secret), other.credential),
    ]),
    ...(refused === undefined ? [] : [made('revoked', (secret) => presented(scheme, secret), refused)]),
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

/** A valid secret where the operation does not look for it. */
function elsewhere(scheme: CredentialScheme): Caller[] {
  const { credential, header, word } = scheme;
  const caller = (name: string, present: (secret: string) => { headers: Headers; query?: string }): Caller => ({
    name: `a credential ${name}`,
    source: 'interface',
    needs: [credential],
    present: (secret) => present(secret(credential)),
    isTypical: false,
  });
  const names = [header, header.toLowerCase(), ...secretNames];
  return [
    caller('in the query', (secret) => ({
      headers: [],
      query: names.map((name) => `${name}=${encodeURIComponent(secret)}`).join('&'),
    })),
    caller('in a cookie', (secret) => ({ headers: [['Cookie', names.map((name) => `${name}=${secret}`).join('; ')]] })),
    caller('as Basic', (secret) => ({
      headers: [['Authorization', `Basic ${Buffer.from(`${secret}:`).toString('base64')}`]],
    })),
    ...(word === undefined
      ? ['Bearer', 'ApiKey', 'Token'].map((each) =>
          caller(`in Authorization as ${each}`, (secret) => ({ headers: [['Authorization', `${each} ${secret}`]] })),
        )
      : ['x-api-key', 'X-Auth-Token', 'X-Access-Token'].map((each) =>
          caller(`in ${each}`, (secret) => ({ headers: [[each, secret]] })),
        )),
    caller('of another region', (secret) => ({ headers: presented(scheme, ofAnotherRegion(secret)) })),
    caller('in X-Api-Token', (secret) => ({ headers: [['X-Api-Token', secret]] })),
  ];
}

/** A caller with fewer rights, and the secret of one with all of them where the operation does not look for it. */
function beside(scheme: CredentialScheme): Caller[] {
  const lesser = isKey(scheme) ? 'viewer_key' : 'other_access_token';
  return elsewhere(scheme).map(({ name, present, needs }) => ({
    name: `${lesser} with ${name.replace(/^a credential/, scheme.credential)}`,
    source: 'decision',
    needs: [lesser, ...needs],
    present: (secret) => {
      const { headers, query } = present(secret);
      return { headers: [...presented(scheme, secret(lesser)), ...headers], ...(query !== undefined && { query }) };
    },
    isTypical: false,
  }));
}

/** A credential names its region (D24). */
function ofAnotherRegion(secret: string): string {
  const moved = secret.replace(/_(uk|ca)_/, (_all, region) => (region === 'uk' ? '_ca_' : '_uk_'));
  return moved === secret ? `ca${secret}` : moved;
}

/** A valid credential in another legal spelling. */
function spellingsOf({ header, word }: CredentialScheme): [name: string, spell: (secret: string) => Headers][] {
  if (word === undefined) return [];
  return [
    ['whose scheme is in lower case', (secret) => [[header, `${word.toLowerCase()} ${secret}`]]],
    ['whose scheme is in capitals', (secret) => [[header, `${word.toUpperCase()} ${secret}`]]],
  ];
}
