import { type Credentials, credentialHeaders as headersByName } from './generated/client.ts';

/**
 * A secret, or a function that returns it. The function is called before every attempt, so that it can renew the
 * secret. Its error ends the call and is thrown unchanged.
 */
export type Credential = string | (() => string | Promise<string>);

type Name = keyof Credentials<Credential>;

/**
 * The headers that present the credentials of an operation: those of the first alternative that the client has.
 * @throws {TypeError} if no alternative is complete or a credential is not valid in a header; the message contains no
 *   secret
 */
export async function credentialHeaders(
  credentials: Credentials<Credential>,
  alternatives: readonly (readonly string[])[],
): Promise<Record<string, string>> {
  const chosen = choose(credentials, alternatives);
  return Object.fromEntries(await Promise.all(chosen.map((name) => headerOf(name, credentials[name]))));
}

function choose(credentials: Credentials<Credential>, alternatives: readonly (readonly string[])[]): readonly Name[] {
  const names = alternatives as readonly (readonly Name[])[];
  const chosen = names.find((together) => together.every((name) => credentials[name] !== undefined));
  if (chosen || names.length === 0) return chosen ?? [];
  const needed = names.map((together) => together.join(' and ')).join(', or ');
  throw new TypeError(`This operation needs ${needed}: give it to createClient.`);
}

async function headerOf(name: Name, credential: Credential | undefined): Promise<[string, string]> {
  const secret: unknown = typeof credential === 'function' ? await credential() : credential;
  // The platform's own error quotes the value of the header.
  if (typeof secret !== 'string' || !/^[\x21-\x7e]+$/.test(secret))
    throw new TypeError(`${name} must be printable ASCII without spaces: check where it comes from for line ends.`);
  const { header, prefix } = headersByName[name];
  return [header, prefix + secret];
}
