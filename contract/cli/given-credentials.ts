import { otherEntry, schemeEntry, usualEntry } from '../dimensions/credential-scheme.ts';
import type { ApiDocument } from '../document/model.ts';
import { isOwnApi } from '../document/own-document.ts';
import type { Target } from '../run/model.ts';
import type { ConfiguredChecks, GivenCredential } from './configuration.ts';

/**
 * Adds the credentials of another API's security schemes to the target. For schemes that the configuration does not
 * name, it uses `owner_key`, `access_token` and `other_access_token` of the credentials file.
 * @throws {UsageError} if an environment variable is not set
 */
export function withGivenCredentials(
  target: Target,
  document: ApiDocument,
  configured: ConfiguredChecks | undefined,
  environment: NodeJS.ProcessEnv,
): Target {
  if (isOwnApi(document)) return target;
  const found: Record<string, string> = {};
  for (const [name, scheme] of Object.entries(document.securitySchemes))
    for (const part of ['security', 'other-security'] as const) {
      const given = configured?.[part]?.[name];
      const isOther = part === 'other-security';
      const usual = isOther ? otherEntry(usualEntry(scheme)) : usualEntry(scheme);
      const secret = given === undefined ? target.credentials[usual] : secretOf(given, environment);
      if (given !== undefined && secret === undefined)
        configured?.fail([part, name], `needs the environment variable ${variableOf(given)}, which is not set`);
      const isBasic = scheme.type === 'http' && scheme.scheme === 'basic';
      const entry = isOther ? otherEntry(schemeEntry(name)) : schemeEntry(name);
      // In the form in which it is sent, because that is the text to mask.
      if (secret !== undefined) found[entry] = isBasic ? Buffer.from(secret).toString('base64') : secret;
    }
  return { ...target, credentials: { ...target.credentials, ...found } };
}

function secretOf(given: GivenCredential, environment: NodeJS.ProcessEnv): string | undefined {
  const secret = typeof given === 'string' ? given : environment[given.env];
  return secret === '' ? undefined : secret;
}

function variableOf(given: GivenCredential): string {
  return typeof given === 'string' ? '' : given.env;
}
