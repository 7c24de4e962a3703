/**
 * Finds what has the form of a secret in a text, wherever it stands: between other characters, in another letter case (the
 * checksum would give the right one away), or with characters escaped as in URLs and in JSON within JSON. What is hidden
 * in base64 or hexadecimal digits is not found. The time is linear in the text: no expression fails after it has read
 * characters at which another match could start.
 */
const underscore = String.raw`(?:_|%(?:25)*5f|\\+u005f)`;
const character = String.raw`(?:\w|%(?:25)*[3-7][0-9a-f]|\\+u00[3-7][0-9a-f])`;

/** Every character of a word after the prefix, lest a made-up prefix swallow half of that of a real secret. */
const credential = new RegExp(`da[kt]${underscore}[a-z]{2}${underscore}${character}+`, 'gi');

/** A JSON object in base64, as a JSON Web Token begins, and what follows it. */
const jsonWebToken = /eyJ[\w.-]{16,}/g;
const bearerToken = /(bearer)(?: |%20|\+)+[\w.~+/=-]{16,}/gi;

/** An opaque token after its scheme in a text without spaces. */
const gluedBearerToken = /bearer[\w.~-]{16,}/i;

/** The text with a mark in the place of each credential of this API, JSON Web Token and bearer token. */
export function hideSecrets(text: string, mark: string): string {
  return text.replace(credential, mark).replace(bearerToken, `$1 ${mark}`).replace(jsonWebToken, mark);
}

/** Tells whether an identifier without spaces holds a credential of this API, a JSON Web Token or a bearer token. */
export function holdsSecret(identifier: string): boolean {
  return (
    identifier.search(credential) !== -1 || identifier.search(jsonWebToken) !== -1 || gluedBearerToken.test(identifier)
  );
}
