import { credentialsSchema, faultOf, readValidated } from '../cli/validated-file.ts';
import type { CredentialName, Credentials } from '../run/model.ts';
import { UsageError } from '../run/usage-error.ts';

type Named = Partial<Pick<Credentials, CredentialName | 'region'>>;

/**
 * Reads the credentials file. Messages never repeat its values.
 * @throws {UsageError} if it is unusable
 */
export async function readCredentials(file: string): Promise<Named> {
  const what = 'the credentials file';
  return (await readValidated({ what, file, form: 'JSON', schema: credentialsSchema })) as Named;
}

/**
 * Validates credentials.
 * @param source where they come from, for messages
 * @throws {UsageError} if they are unusable
 */
export function checkedCredentials(value: unknown, source: string): Named {
  const fault = faultOf(value, credentialsSchema);
  if (fault !== undefined) throw new UsageError(`${source} ${fault}`);
  return value as Named;
}
