import { type Credentials, credentialHeaders } from '../generated/client.ts';

/**
 * A secret, or what gives it. A function is asked before every attempt, so that a secret that was renewed meanwhile is
 * sent; what it throws ends the call and is thrown as it is.
 */
export type Credential = string | (() => string | Promise<string>);

/**
 * The header that presents a credential.
 * @throws {TypeError} if it is absent or cannot stand in a header; the message does not hold it
 */
export async function credentialHeader(
  credentials: Credentials<Credential>,
  name: keyof typeof credentialHeaders,
): Promise<Record<string, string>> {
  const credential = credentials[name];
  if (credential === undefined) throw new TypeError(`This operation needs ${name}: give it to createClient.`);
  const secret: unknown = typeof credential === 'function' ? await credential() : credential;
  // The platform's own refusal of a header quotes its value.
  if (typeof secret !== 'string' || !/^[\x21-\x7e]+$/.test(secret))
    throw new TypeError(`${name} must be printable ASCII without spaces: check where it comes from for line ends.`);
  const { header, prefix } = credentialHeaders[name];
  return { [header]: prefix + secret };
}
