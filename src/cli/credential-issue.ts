import type { Command } from 'commander';
import { Option } from 'commander';
import { type IssuedCredential, issueCredential } from '../domain/issue-credential.ts';
import { type CredentialKind, credentialKinds } from '../domain/secret.ts';
import { millisecondsOfDay } from '../domain/time.ts';
import { reportingCommand, identifier, wholeNumber } from './arguments.ts';
import type { CliContext } from './context.ts';
import { CliError } from './errors.ts';
import { printResult } from './output.ts';
import { withStore } from './with-store.ts';

interface IssueOptions {
  kind: CredentialKind;
  role?: string;
  expiresInDays?: number;
  json?: boolean;
}

/** Issues an API key or an access token. */
export function credentialIssueCommand(context: CliContext): Command {
  return reportingCommand(
    'issue',
    'Issue an API key or an access token and print its secret. Only a hash is stored: the secret is never shown again.',
    [
      'credential issue 6f1c2a52-5a7e-4d0b-9c38-1f4e8a7b2d10 --kind api-key --role owner',
      'credential issue 6f1c2a52-5a7e-4d0b-9c38-1f4e8a7b2d10 --kind access-token --expires-in-days 90',
    ],
  )
    .argument('<organisation>', "the organisation's identifier", identifier)
    .addOption(
      new Option('--kind <kind>', 'API keys are for the organisation operations, access tokens for the case operation')
        .choices(credentialKinds)
        .makeOptionMandatory(),
    )
    .option('--role <role>', 'the role of an API key, required for one; `role list` lists them')
    .option('--expires-in-days <days>', 'when it expires (never)', wholeNumber(1, 36_500))
    .action((organisationId: string, options: IssueOptions, command: Command) => {
      const { kind, role, expiresInDays } = options;
      if (kind === 'api-key' && role === undefined)
        command.error('error: an API key needs a role: add --role, such as --role owner');
      if (kind === 'access-token' && role !== undefined)
        command.error('error: an access token has no role: remove --role');
      return withStore(context, command, async (store, { region }) => {
        const now = context.now();
        const issued = await issueCredential(store, region, {
          organisation_id: organisationId,
          kind,
          role: role ?? null,
          created_at: now.toISOString(),
          expires_at: expiresInDays ? new Date(now.getTime() + expiresInDays * millisecondsOfDay).toISOString() : null,
        });
        await printIssued(context, options, issued, () => describeIssued(issued));
      });
    });
}

/**
 * Prints a new credential with its secret.
 * @throws {CliError} if it cannot be printed: the credential is valid, but its secret is lost
 */
export async function printIssued(
  context: Pick<CliContext, 'stdout'>,
  options: { json?: boolean },
  issued: IssuedCredential,
  text: () => string,
): Promise<void> {
  try {
    await printResult(context, options, issued, text);
  } catch (error) {
    const { message } = error as Error;
    throw new CliError(
      `The credential ${issued.credential_id} was issued, but its secret could not be printed: ${message}. ` +
        `Replace it: document-analysis credential rotate ${issued.credential_id}`,
    );
  }
}

/** The text that describes a new credential. Its secret is shown only here. */
export function describeIssued(issued: IssuedCredential): string {
  const kind = issued.role === null ? 'access token' : `API key with role ${issued.role}`;
  return [
    `Issued ${kind} for organisation ${issued.organisation_id}:`,
    '',
    `  ${issued.secret}`,
    '',
    'Store this secret safely: it is not shown again.',
    `Credential ${issued.credential_id} ${issued.expires_at ? `expires at ${issued.expires_at}` : 'does not expire'}.`,
  ].join('\n');
}
