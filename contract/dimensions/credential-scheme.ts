import type { ApiDocument, SecurityScheme } from '../document/model.ts';
import { isOwnApi } from '../document/own-document.ts';
import { headerOf } from '../oracle/request.ts';
import type { CredentialName } from '../run/model.ts';

/** Header fields as a list, because some are sent twice. A name that begins with `?` is a query parameter. */
export type Headers = readonly (readonly [name: string, value: string])[];

/** A security scheme of the document, with a credential that it accepts. */
export interface CredentialScheme {
  readonly name: string;
  readonly header: string;
  /** The word before the secret, such as `Bearer`, if the scheme has one. */
  readonly word?: string;
  readonly credential: CredentialName;
  /** By their state, credentials of the same kind that must be refused. */
  readonly refused?: Readonly<Record<string, CredentialName>>;
  readonly isCookie: boolean;
}

const credentialsByType = {
  apiKey: { credential: 'owner_key', refused: { revoked: 'revoked_key', expired: 'expired_key' } },
  http: { credential: 'access_token', refused: { revoked: 'revoked_token', expired: 'expired_token' } },
} as const satisfies Record<SecurityScheme['type'], Partial<CredentialScheme>>;

const words = { bearer: 'Bearer', basic: 'Basic' };

/** The schemes of the document. In another API, their credentials are named after the schemes. */
export function credentialSchemes(document: ApiDocument): CredentialScheme[] {
  const isOwn = isOwnApi(document);
  return Object.entries(document.securitySchemes).map(([name, scheme]) => ({
    name,
    ...(isOwn ? credentialsByType[scheme.type] : { credential: schemeEntry(name) }),
    header: `${'in' in scheme && scheme.in === 'query' ? '?' : ''}${headerOf(scheme)}`,
    ...(scheme.type === 'http' && { word: words[scheme.scheme] }),
    isCookie: 'in' in scheme && scheme.in === 'cookie',
  }));
}

/** The credentials entry of a security scheme of another API. */
export const schemeEntry = (name: string) => `security.${name}` as CredentialName;

/** Who calls beside the owner of the credentials: another tenant, or somebody of the same one who may only read. */
export type OtherCaller = 'other' | 'lesser';

/** The credentials entry of another caller: `other_access_token`, or `other-security.key` of another API. */
export function entryOf(caller: OtherCaller, credential: CredentialName): CredentialName {
  return `${caller}${credential.includes('.') ? '-' : '_'}${credential}` as CredentialName;
}

/** The credentials entry that is used for a scheme of another API in files made for this one. */
export function usualEntry({ type }: SecurityScheme): CredentialName {
  return credentialsByType[type].credential;
}

/** Whether the scheme's credential is a key; a key has a role with permissions. */
export function isKey({ credential }: CredentialScheme): boolean {
  return credential === credentialsByType.apiKey.credential;
}

/** The header that presents a secret. */
export function presented({ header, word, isCookie }: CredentialScheme, secret: string): Headers {
  if (isCookie) return [['Cookie', `${header}=${secret}`]];
  return [[header, word === undefined ? secret : `${word} ${secret}`]];
}
