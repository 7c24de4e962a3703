import type { ApiDocument } from '../document/model.ts';
import { type World, worldOf } from '../oracle/world.ts';
import type { CredentialName, Credentials } from '../run/model.ts';

/** Credentials of the usual form, by which the rows are grouped before those of the target are known. */
export const placeholders = new Proxy({} as Required<Credentials>, {
  get: (_target, name) => (/^(spares|connection)$/.test(String(name)) ? undefined : placeholder(String(name))),
});
/** By which a request is made before there is a target. */
export const placeholderContext = { credential: (name: CredentialName) => placeholder(name) };

function placeholder(name: string): string {
  if (name.endsWith('case_id'))
    return `${Buffer.from(name).toString('hex').padEnd(12, '0').slice(0, 8)}-5a7e-4d0b-9c38-1f4e8a7b2d10`;
  return `da_uk_${name.replaceAll('_', '')}1aB2cD3eF4`;
}

export function placeholderWorld(document: ApiDocument): World {
  return worldOf(document, placeholders);
}
