/** Who asks: each kind and state of a credential, and each way to present it. */
import {
  type CredentialScheme,
  credentialSchemes,
  type Headers,
  isKey,
  presented,
} from '../checks/credential-scheme.ts';
import { credentialVariants } from '../checks/credential-variants.ts';
import type { Baseline } from '../checks/baseline.ts';
import type { CredentialName, Source } from '../run/model.ts';

/** A caller of an operation. */
export interface Caller {
  /** As in `owner_key`, or `a credential that is revoked`. */
  readonly name: string;
  readonly source: Source;
  readonly needs: readonly CredentialName[];
  /** The headers of the credential, and the query if it is sent there. */
  readonly present: (secret: (name: CredentialName) => string) => { headers: Headers; query?: string };
  /** Whether every kind of request is asked by this caller, rather than a few. */
  readonly isTypical: boolean;
}

/** Spellings of the name of a credential, where a server might look for it. */
const secretNames = ['access_token', 'api_key', 'token'];

/** All callers of an operation; the first is the one whose requests succeed. */
export function callersOf({ document, operation, schemes, isPublic, isOwn }: Baseline, seed: number): Caller[] {
  const [scheme] = schemes;
  if (isPublic || !scheme) return [anonymous];
  const others = schemes.slice(1);
  const withOthers = (headers: Headers, secret: (name: CredentialName) => string): Headers => [
    ...headers,
    ...others.flatMap((other) => presented(other, secret(other.credential))),
  ];
  const otherNeeds = others.map(({ credential }) => credential);
  const valid = (name: CredentialName, spell: (secret: string) => Headers = (secret) => presented(scheme, secret)) => ({
    source: 'interface' as const,
    needs: [name, ...otherNeeds],
    present: (secret: (each: CredentialName) => string) => ({ headers: withOthers(spell(secret(name)), secret) }),
  });
  const same = (name: CredentialName): Caller => ({ name, isTypical: true, ...valid(name) });
  const accepted = operation.security.flat();
  const unaccepted = credentialSchemes(document).filter(({ name }) => !accepted.includes(name));
  const variants = credentialVariants(scheme, unaccepted, seed).map(({ name, from, headers }): Caller => ({
    name: `a credential that is ${name.replaceAll('-', ' ')}`,
    source: /^doubled|comma/.test(name) ? 'decision' : isOwn ? 'interface' : 'document',
    needs: [...from, ...otherNeeds],
    present: (secret) => ({ headers: withOthers(headers(secret), secret) }),
    isTypical: /^(absent|unknown|revoked|kind-.*|scheme-.*)$/.test(name),
  }));
  if (!isOwn) return [same(scheme.credential), ...variants.filter(({ name }) => isPlain(name))];
  return [
    ...(isKey(scheme)
      ? (['owner_key', 'member_key', 'viewer_key', 'feature_off_key'] as const).map(same)
      : (['access_token', 'other_access_token'] as const).map(same)),
    ...variants,
    ...elsewhere(scheme),
    ...spellingsOf(scheme).map(([name, spell]): Caller => ({
      name: `a credential ${name}`,
      isTypical: false,
      ...valid(scheme.credential, spell),
      source: 'decision',
    })),
  ];
}

const anonymous: Caller = {
  name: 'nobody',
  source: 'document',
  needs: [],
  present: () => ({ headers: [] }),
  isTypical: true,
};

/** The variants that every server refuses. */
function isPlain(name: string): boolean {
  return /that is (absent|empty|malformed|unknown|one character changed)$/.test(name);
}

/** A valid secret where the operation does not look for it. */
function elsewhere({ credential, header, word }: CredentialScheme): Caller[] {
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
    caller('in X-Api-Token', (secret) => ({ headers: [['X-Api-Token', secret]] })),
  ];
}

/** A valid credential in another legal spelling. */
function spellingsOf({ header, word }: CredentialScheme): [name: string, spell: (secret: string) => Headers][] {
  if (word === undefined) return [];
  return [
    ['whose scheme is in lower case', (secret) => [[header, `${word.toLowerCase()} ${secret}`]]],
    ['whose scheme is in capitals', (secret) => [[header, `${word.toUpperCase()} ${secret}`]]],
  ];
}
