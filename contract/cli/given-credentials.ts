import { schemeEntry, usualEntry } from '../checks/credential-scheme.ts';
import type { ApiDocument } from '../document/model.ts';
import { isOwnApi } from '../document/own-document.ts';
import type { Target } from '../run/model.ts';
import type { ConfiguredChecks, GivenCredential } from './configured-checks.ts';

/**
 * The target with the credentials of another API's security schemes, by their names. The configuration gives them; `owner_key`
 * and `access_token` of the credentials file stand for those that it does not.
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
  for (const [name, scheme] of Object.entries(document.securitySchemes)) {
    const given = configured?.security[name];
    const secret = given === undefined ? target.credentials[usualEntry(scheme)] : secretOf(given, environment);
    if (given !== undefined && secret === undefined)
      configured?.fail(['security', name], `needs the environment variable ${variableOf(given)}, which is not set`);
    const isBasic = scheme.type === 'http' && scheme.scheme === 'basic';
    // As it is sent: what stands in a request is what must be masked.
    if (secret !== undefined) found[schemeEntry(name)] = isBasic ? Buffer.from(secret).toString('base64') : secret;
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
