import { contractDocument, type DocumentedOperation } from '../document/document.ts';
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

const credentialsOfSchemes: Record<string, Pick<CredentialScheme, 'credential' | 'refused'>> = {
  apiKey: { credential: 'owner_key', refused: 'revoked_key' },
  accessToken: { credential: 'access_token' },
};

/** Every scheme of the document that a tester has a credential for. */
export const credentialSchemes: readonly CredentialScheme[] = Object.entries(
  contractDocument.components.securitySchemes,
).flatMap(([name, scheme]) => {
  const credential = credentialsOfSchemes[name];
  if (!credential) return [];
  if (scheme.type === 'apiKey') return [{ ...credential, name, header: scheme.name }];
  return scheme.scheme === 'bearer' ? [{ ...credential, name, header: 'Authorization', word: 'Bearer' }] : [];
});

/** The names of the schemes that the operation accepts; none if it is open to everybody. */
export function schemeNamesOf({ security = [] }: Partial<Pick<DocumentedOperation, 'security'>>): string[] {
  const requirements = security.map((requirement) => Object.keys(requirement));
  return requirements.some((names) => names.length === 0) ? [] : requirements.flat();
}

/** The header that presents a secret in a scheme. */
export function presented({ header, word }: CredentialScheme, secret: string): Headers {
  return [[header, word === undefined ? secret : `${word} ${secret}`]];
}
