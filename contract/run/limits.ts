/**
 * Which limit a request counts against; and which of several credentials with the same rights, and which address of this
 * machine, a check uses: one whose limit is not near, so that the check need not wait for it, or, if it uses the limit up,
 * the one that has least left.
 */
import { headerOf, isPublic } from '../oracle/request.ts';
import type { ApiDocument, Operation } from '../document/model.ts';
import type { Check, CredentialName, Credentials, RequestSpec } from './model.ts';
import type { Pacing } from './pacing.ts';

/** More requests with one credential, and more failed authentications, than a check makes. */
const enough = { credential: 100, address: 10 };

/** The credentials that a check is to use. */
export function chooseCredentials(
  credentials: Credentials,
  { usesUp }: Pick<Check, 'usesUp'>,
  pacing: Pacing,
): Credentials {
  const { spares } = credentials;
  if (!spares) return credentials;
  const chosen = Object.entries(spares).flatMap(([name, others]) => {
    const own = credentials[name as CredentialName];
    if (own === undefined) return [];
    const secrets = [own, ...others];
    const left = (secret: string) => pacing.leftOf(secret);
    return [[name, usesUp === name ? withLeast(secrets, left) : withEnough(secrets, left, enough.credential)]];
  });
  return { ...credentials, ...(Object.fromEntries(chosen) as Partial<Credentials>) };
}

/** The local address that a check sends from. @param addresses undefined lets the system choose */
export function chooseAddress(
  addresses: readonly (string | undefined)[],
  { usesUp }: Pick<Check, 'usesUp'>,
  pacing: Pacing,
): string | undefined {
  const left = (address: string | undefined) => pacing.leftOf(addressLimit(address));
  return usesUp === 'address' ? withLeast(addresses, left) : withEnough(addresses, left, enough.address);
}

/** The first that has enough left, or else the one that has most. */
function withEnough<Limited>(all: readonly Limited[], left: (each: Limited) => number, wanted: number): Limited {
  const counted = (each: Limited) => Math.min(wanted, left(each));
  return all.reduce((best, each) => (counted(each) > counted(best) ? each : best));
}

function withLeast<Limited>(all: readonly Limited[], left: (each: Limited) => number): Limited {
  return all.reduce((least, each) => (left(each) < left(least) ? each : least));
}

/**
 * The limit that a request counts against: that of a valid credential, or else that of the address it comes from; undefined
 * if it calls no operation.
 * @param names of the secrets that are known
 */
export function limitOf(
  { headers = [] }: RequestSpec,
  operation: Operation | undefined,
  { securitySchemes }: ApiDocument,
  names: ReadonlyMap<string, string>,
  from: string | undefined,
): string | undefined {
  if (!operation) return undefined;
  if (isPublic(operation)) return `public ${addressLimit(from)}`;
  const acceptedOf = (scheme: string): string | undefined => {
    const described = securitySchemes[scheme];
    if (!described) return undefined;
    const header = headerOf(described).toLowerCase();
    const [value, ...others] = headers.filter(([name]) => name.toLowerCase() === header).map(([, sent]) => sent.trim());
    if (value === undefined || others.length > 0) return undefined;
    const secret = described.type === 'http' ? afterWord(value, described.scheme) : value;
    const name = names.get(secret) ?? '';
    const ofOwnApi = described.type === 'http' ? /_token$/ : /(?<!^revoked)_key$/;
    return /^(other-)?security\./.test(name) || ofOwnApi.test(name) ? secret : undefined;
  };
  // Of several schemes that are needed together, the first one's credential is counted.
  const met = operation.security
    .map((all) => all.map(acceptedOf))
    .find((all) => all.length > 0 && !all.includes(undefined));
  return met?.[0] ?? addressLimit(from);
}

/** The credential after the name of an authentication scheme; empty if the scheme is another. */
function afterWord(value: string, word: string): string {
  const [, first = '', secret = ''] = /^(\S+) +(.*)$/s.exec(value) ?? [];
  return first.toLowerCase() === word.toLowerCase() ? secret : '';
}

/** The limit of failed authentications from an address. */
export function addressLimit(from: string | undefined): string {
  return `address ${from ?? ''}`;
}
