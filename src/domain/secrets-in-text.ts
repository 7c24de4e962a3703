/**
 * Finds well-formed secrets anywhere in a text: in another letter case (the checksum would reveal the right one), or
 * escaped as in URLs and in JSON within JSON, but not in base64 or hexadecimal. The time is linear: no expression fails
 * after reading characters at which another match could start.
 */
const underscore = String.raw`(?:_|%(?:25)*5f|\\+u005f)`;
const character = String.raw`(?:\w|%(?:25)*[3-7][0-9a-f]|\\+u00[3-7][0-9a-f])`;

/** Matches the whole word after the prefix, so that a made-up prefix cannot swallow half of a real one. */
const credential = new RegExp(`da[kt]${underscore}[a-z]{2}${underscore}${character}+`, 'gi');

/** A base64-encoded JSON object, as at the start of a JSON Web Token, and what follows it. */
const jsonWebToken = /eyJ[\w.-]{16,}/g;
const bearerToken = /(bearer)(?: |%20|\+)+[\w.~+/=-]{16,}/gi;

/** An opaque token after its scheme in a text without spaces. */
const gluedBearerToken = /bearer[\w.~-]{16,}/i;

/** Replaces each credential of this API, JSON Web Token and bearer token in the text with a mark. */
export function hideSecrets(text: string, mark: string): string {
  return text.replace(credential, mark).replace(bearerToken, `$1 ${mark}`).replace(jsonWebToken, mark);
}

/** Whether an identifier without spaces contains a credential of this API, a JSON Web Token or a bearer token. */
export function holdsSecret(identifier: string): boolean {
  return (
    identifier.search(credential) !== -1 || identifier.search(jsonWebToken) !== -1 || gluedBearerToken.test(identifier)
  );
}
