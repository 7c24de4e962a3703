import type { ApiDocument, SecurityScheme } from '../document/model.ts';
import { isOwnApi } from '../document/own-document.ts';
import { headerOf } from '../conformance/request.ts';
import type { CredentialName } from '../run/model.ts';

/** Header fields as a list, because some are sent twice. One whose name begins with `?` stands in the query. */
export type Headers = readonly (readonly [name: string, value: string])[];

/** A security scheme of the document, with the credential of a tester that it accepts. */
export interface CredentialScheme {
  readonly name: string;
  readonly header: string;
  /** The word before the secret, if the scheme has one. */
  readonly word?: string;
  readonly credential: CredentialName;
  /** A credential of the same kind that must be refused. */
  readonly refused?: CredentialName;
  /** Whether the credential stands in a cookie. */
  readonly isCookie: boolean;
}

const credentialsByType = {
  apiKey: { credential: 'owner_key', refused: 'revoked_key' },
  http: { credential: 'access_token' },
} as const satisfies Record<SecurityScheme['type'], Partial<CredentialScheme>>;

const words = { bearer: 'Bearer', basic: 'Basic' };

/** The schemes of the document. Those of another API have credentials of their own, by their names. */
export function credentialSchemes(document: ApiDocument): CredentialScheme[] {
  const isOwn = isOwnApi(document);
  return Object.entries(document.securitySchemes).map(([name, scheme]) => ({
    ...(isOwn ? credentialsByType[scheme.type] : { credential: schemeEntry(name) }),
    name,
    header: `${isInQuery(scheme) ? '?' : ''}${headerOf(scheme)}`,
    ...(scheme.type === 'http' && { word: words[scheme.scheme] }),
    isCookie: scheme.type === 'apiKey' && scheme.in === 'cookie',
  }));
}

/** The credentials entry of a security scheme of another API. */
export function schemeEntry(name: string): CredentialName {
  return `security.${name}` as CredentialName;
}

/** What the tester of another API has named the credential of a scheme by in files that know only this API. */
export function usualEntry({ type }: SecurityScheme): CredentialName {
  return credentialsByType[type].credential;
}

function isInQuery(scheme: SecurityScheme): boolean {
  return scheme.type === 'apiKey' && scheme.in === 'query';
}

/** Whether the credential of a scheme is a key, whose role has permissions. */
export function isKey({ credential }: CredentialScheme): boolean {
  return credential === credentialsByType.apiKey.credential;
}

/** The header that presents a secret in a scheme. */
export function presented({ header, word, isCookie }: CredentialScheme, secret: string): Headers {
  if (isCookie) return [['Cookie', `${header}=${secret}`]];
  return [[header, word === undefined ? secret : `${word} ${secret}`]];
}
