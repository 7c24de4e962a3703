import { randomUUID } from 'node:crypto';
import { Command } from 'commander';
import { credentialState } from '../domain/credential.ts';
import { generateSecret, hashSecret } from '../domain/secret.ts';
import { reportingCommand, identifier } from './arguments.ts';
import type { CliContext } from './context.ts';
import { credentialIssueCommand, describeIssued, printIssued } from './credential-issue.ts';
import { credentialListCommand } from './credential-list.ts';
import { CliError } from './errors.ts';
import { printResult } from './output.ts';
import { withStore } from './with-store.ts';

const example = '0b9d7c64-6a52-4c1e-8f3b-2d5e9a1c7f48';

/** The commands for API keys and access tokens. */
export function credentialCommand(context: CliContext): Command {
  return new Command('credential')
    .description('Manage API keys and access tokens')
    .addCommand(credentialIssueCommand(context))
    .addCommand(credentialListCommand(context))
    .addCommand(rotateCommand(context))
    .addCommand(revokeCommand(context));
}

function rotateCommand(context: CliContext): Command {
  return reportingCommand(
    'rotate',
    'Revoke a credential and issue a replacement with the same organisation, kind, role and expiry. The old secret ' +
      'stops working at once. To change secrets without downtime, issue a second credential and revoke the first later.',
    [`credential rotate ${example}`],
  )
    .argument('<credential>', "the credential's identifier", identifier)
    .action((credentialId: string, options: { json?: boolean }, command: Command) =>
      withStore(context, command, async (store, { region }) => {
        const now = context.now();
        const old = await store.readCredential(credentialId);
        if (credentialState(old, now) === 'expired')
          throw new CliError(
            `The credential ${credentialId} has expired, and so would its replacement. Issue a new one: document-analysis credential issue`,
          );
        const secret = generateSecret(old.kind, region);
        const successor = await store.replaceCredential(credentialId, {
          credentialId: randomUUID(),
          secretSha256: hashSecret(secret),
          at: now.toISOString(),
        });
        const issued = { ...successor, secret };
        await printIssued(context, options, issued, () => `Revoked ${credentialId}.\n${describeIssued(issued)}`);
      }),
    );
}

function revokeCommand(context: CliContext): Command {
  return reportingCommand('revoke', 'Revoke a credential. It stops working at once, and this cannot be undone.', [
    `credential revoke ${example}`,
  ])
    .argument('<credential>', "the credential's identifier", identifier)
    .action((credentialId: string, options: { json?: boolean }, command: Command) =>
      withStore(context, command, async (store) => {
        await store.revokeCredential(credentialId, context.now().toISOString());
        const credential = await store.readCredential(credentialId);
        await printResult(
          context,
          options,
          credential,
          () => `Credential ${credentialId} was revoked at ${String(credential.revoked_at)}.`,
        );
      }),
    );
}
