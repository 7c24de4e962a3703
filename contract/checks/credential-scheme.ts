import type { ApiDocument, SecurityScheme } from '../document/model.ts';
import { headerOf } from '../conformance/request.ts';
import type { CredentialName } from '../run/model.ts';

/** Header fields as a list, because some are sent twice. */
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
}

const credentialsByType = {
  apiKey: { credential: 'owner_key', refused: 'revoked_key' },
  http: { credential: 'access_token', word: 'Bearer' },
} as const satisfies Record<SecurityScheme['type'], Partial<CredentialScheme>>;

/** The schemes of the document. */
export function credentialSchemes({ securitySchemes }: ApiDocument): CredentialScheme[] {
  return Object.entries(securitySchemes).map(([name, scheme]) => ({
    ...credentialsByType[scheme.type],
    name,
    header: headerOf(scheme),
  }));
}

/** Whether the credential of a scheme is a key, whose role has permissions. */
export function isKey({ credential }: CredentialScheme): boolean {
  return credential === credentialsByType.apiKey.credential;
}

/** The header that presents a secret in a scheme. */
export function presented({ header, word }: CredentialScheme, secret: string): Headers {
  return [[header, word === undefined ? secret : `${word} ${secret}`]];
}
