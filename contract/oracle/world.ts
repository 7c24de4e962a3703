/** What the oracle knows of a target beside its document: who may call it, and what it stores. */
import { entryOf, schemeEntry } from '../dimensions/credential-scheme.ts';
import type { ApiDocument } from '../document/model.ts';
import { isOwnApi } from '../document/own-document.ts';
import type { CredentialName, Credentials } from '../run/model.ts';

/** The organisation that a credential or a case belongs to. */
export type Organisation = 'own' | 'other' | 'without feature';

export interface Principal {
  readonly name: CredentialName;
  readonly secret: string;
  /** The security schemes that accept its secret. */
  readonly schemes: readonly string[];
  readonly organisation: Organisation;
  readonly holds: (permission: string) => boolean;
  readonly hasFeatures: boolean;
}

/** A case whose content is known once it has been read. */
export interface KnownCase {
  readonly organisation: Organisation;
  /** Undefined if the credentials do not say. */
  readonly hasFiles?: boolean;
  content?: unknown;
}

/** The state of a target. The oracle reads it; what a request changes, it returns. */
export interface World {
  readonly document: ApiDocument;
  readonly isOwn: boolean;
  /** By secret. */
  readonly principals: ReadonlyMap<string, Principal>;
  /** The setting of the organisation `own`; undefined while nobody has read it. */
  setting: boolean | undefined;
  /** By identifier in lower case. */
  readonly cases: ReadonlyMap<string, KnownCase>;
  /** Whose limit is used up: secrets, and `address` for failed authentications. */
  readonly spent: Set<string>;
  /** The status of every response to a valid credential while the store fails. */
  failing: 500 | 503 | undefined;
}

type Rights = Pick<Principal, 'organisation' | 'holds' | 'hasFeatures'>;

/** All rights in the organisation of the credentials. */
export const owner: Rights = { organisation: 'own', holds: () => true, hasFeatures: true };

/** The roles of decision D20. An access token has no role, and any valid one of the organisation suffices (D21). */
const rights: Partial<Record<CredentialName, Rights>> = {
  owner_key: owner,
  member_key: { ...owner, holds: (permission) => permission.endsWith(':read') },
  viewer_key: { ...owner, holds: () => false },
  feature_off_key: { ...owner, organisation: 'without feature', hasFeatures: false },
  access_token: owner,
  revocable_key: owner,
  revocable_token: owner,
  other_owner_key: { ...owner, organisation: 'other' },
  other_access_token: { ...owner, organisation: 'other' },
};

/** The world of a target before the first request. */
export function worldOf(document: ApiDocument, credentials: Credentials): World {
  const isOwn = isOwnApi(document);
  const principals = new Map<string, Principal>();
  const add = (name: CredentialName, schemes: readonly string[], held: Rights) => {
    for (const secret of [credentials[name], ...(credentials.spares?.[name] ?? [])])
      if (typeof secret === 'string') principals.set(secret, { name, secret, schemes, ...held });
  };
  if (isOwn)
    for (const [name, held] of Object.entries(rights) as [CredentialName, Rights][])
      add(name, schemesOf(document, name), held);
  else
    for (const scheme of Object.keys(document.securitySchemes)) {
      add(schemeEntry(scheme), [scheme], owner);
      add(entryOf('other', schemeEntry(scheme)), [scheme], { ...owner, organisation: 'other' });
    }
  const cases: [string | undefined, KnownCase][] = [
    [credentials.case_id, { organisation: 'own', hasFiles: true }],
    [credentials.empty_case_id, { organisation: 'own', hasFiles: false }],
    [credentials.other_case_id, { organisation: 'other' }],
  ];
  return {
    document,
    isOwn,
    principals,
    setting: undefined,
    spent: new Set(),
    failing: undefined,
    cases: new Map(cases.flatMap(([id, known]) => (id === undefined ? [] : [[id.toLowerCase(), known]]))),
  };
}

/** Keys are API keys, tokens are bearer tokens. */
function schemesOf({ securitySchemes }: ApiDocument, name: CredentialName): string[] {
  const type = name.endsWith('_token') ? 'http' : 'apiKey';
  return Object.entries(securitySchemes).flatMap(([scheme, described]) => (described.type === type ? [scheme] : []));
}
