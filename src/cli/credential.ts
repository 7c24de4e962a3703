import { randomUUID } from 'node:crypto';
import { type Command, Option } from 'commander';
import {
  credentialState,
  expiresSoon,
  issueCredential,
  type IssuedCredential,
  type ListedCredential,
  type CredentialKind,
  credentialKinds,
  generateSecret,
  hashSecret,
} from '../domain/credential.ts';
import { millisecondsOfDay } from '../domain/time.ts';
import { duration, identifier, wholeNumber } from './arguments.ts';
import { commandGroup, readOrganisation, ReportingCommand, type Run, type StoreRun } from './command.ts';
import type { CliContext } from './context.ts';
import { OperatorError } from '../domain/errors.ts';

const example = '0b9d7c64-6a52-4c1e-8f3b-2d5e9a1c7f48';

export function credentialCommand(context: CliContext): Command {
  const commands = [credentialIssueCommand, credentialListCommand, rotateCommand, revokeCommand];
  return commandGroup(context, 'credential', 'Manage API keys and access tokens', commands);
}

function rotateCommand(context: CliContext): Command {
  const description =
    'Revoke a credential and issue a replacement with the same organisation, kind, role and expiry. The old secret ' +
    'stops working at once. To change secrets without downtime, issue a second credential and revoke the first later.';
  return new ReportingCommand(context, 'rotate', description, [`credential rotate ${example}`])
    .argument('<credential>', "the credential's identifier", identifier)
    .onStore(async ({ store, config: { region }, report }, credentialId: string) => {
      const now = context.now();
      const old = await store.readCredential(credentialId);
      if (credentialState(old, now) === 'expired')
        throw new OperatorError(
          `The credential ${credentialId} has expired, and so would its replacement. Issue a new one: document-analysis credential issue`,
        );
      const secret = generateSecret(old.kind, region);
      const successor = await store.replaceCredential(credentialId, {
        credentialId: randomUUID(),
        secretSha256: hashSecret(secret),
        at: now.toISOString(),
      });
      await printIssued({ ...successor, secret }, report, `Revoked ${credentialId}.\n`);
    });
}

function revokeCommand(context: CliContext): Command {
  const description = 'Revoke a credential. It stops working at once, and this cannot be undone.';
  return new ReportingCommand(context, 'revoke', description, [`credential revoke ${example}`])
    .argument('<credential>', "the credential's identifier", identifier)
    .onStore(async ({ store, report }, credentialId: string) => {
      await store.revokeCredential(credentialId, context.now().toISOString());
      const credential = await store.readCredential(credentialId);
      await report(credential, () => `Credential ${credentialId} was revoked at ${String(credential.revoked_at)}.`);
    });
}

interface IssueOptions {
  kind: CredentialKind;
  role?: string;
  expiresInDays?: number;
}

function credentialIssueCommand(context: CliContext): Command {
  const description =
    'Issue an API key or an access token and print its secret. Only a hash is stored: the secret is never shown again.';
  return new ReportingCommand(context, 'issue', description, [
    'credential issue 6f1c2a52-5a7e-4d0b-9c38-1f4e8a7b2d10 --kind api-key --role owner',
    'credential issue 6f1c2a52-5a7e-4d0b-9c38-1f4e8a7b2d10 --kind access-token --expires-in-days 90',
  ])
    .argument('<organisation>', "the organisation's identifier", identifier)
    .addOption(
      new Option('--kind <kind>', 'API keys are for the organisation operations, access tokens for the case operation')
        .choices(credentialKinds)
        .makeOptionMandatory(),
    )
    .option('--role <role>', 'the role of an API key, required for one; `role list` lists them')
    .option('--expires-in-days <days>', 'when it expires (never)', wholeNumber(1, 36_500))
    .hook('preAction', (command) => {
      const { kind, role } = command.opts<IssueOptions>();
      if (kind === 'api-key' && role === undefined)
        command.error('error: an API key needs a role: add --role, such as --role owner');
      if (kind === 'access-token' && role !== undefined)
        command.error('error: an access token has no role: remove --role');
    })
    .onStore(async ({ store, config, options, report }: StoreRun<IssueOptions>, organisationId: string) => {
      const { kind, role = null, expiresInDays } = options;
      const now = context.now();
      const issued = await issueCredential(store, config.region, {
        organisation_id: organisationId,
        kind,
        role,
        created_at: now.toISOString(),
        expires_at: expiresInDays ? new Date(now.getTime() + expiresInDays * millisecondsOfDay).toISOString() : null,
      });
      await printIssued(issued, report);
    });
}

/** Prints a new credential, once. @throws {OperatorError} if it cannot be printed: it is valid, but its secret is lost */
async function printIssued(issued: IssuedCredential, report: Run['report'], before = ''): Promise<void> {
  const kind = issued.role === null ? 'access token' : `API key with role ${issued.role}`;
  const text = `${before}Issued ${kind} for organisation ${issued.organisation_id}:

  ${issued.secret}

Store this secret safely: it is not shown again.
Credential ${issued.credential_id} ${issued.expires_at ? `expires at ${issued.expires_at}` : 'does not expire'}.`;
  try {
    await report(issued, () => text);
  } catch (error) {
    const { message } = error as Error;
    throw new OperatorError(
      `The credential ${issued.credential_id} was issued, but its secret could not be printed: ${message}. ` +
        `Replace it: document-analysis credential rotate ${issued.credential_id}`,
    );
  }
}

interface ListOptions {
  unusedFor?: number;
}

function credentialListCommand(context: CliContext): Command {
  const description = 'List credentials, oldest first, with their state and last use. Secrets are never shown.';
  return new ReportingCommand(context, 'list', description, [
    'credential list',
    'credential list --unused-for 90d',
    'credential list 6f1c2a52-5a7e-4d0b-9c38-1f4e8a7b2d10 --json',
  ])
    .argument('[organisation]', 'only the credentials of this organisation', identifier)
    .option('--unused-for <duration>', 'only active credentials not used for this long, such as 90d or 12h', duration)
    .onStore(async ({ store, options, reportList }: StoreRun<ListOptions>, organisationId?: string) => {
      if (organisationId !== undefined) await readOrganisation(store, organisationId);
      const now = context.now();
      const credentials = (await store.listCredentials(organisationId))
        .filter((credential) => isListed(credential, options, now))
        .map((credential) => ({
          ...credential,
          state: credentialState(credential, now),
          expires_soon: expiresSoon(credential, now),
        }));
      await reportList(credentials, nothingListed(store.name, options), [
        ...(['credential_id', 'organisation_id', 'kind', 'role'] as const),
        ['STATE', ({ state, expires_soon: soon }) => (soon ? 'expires soon' : state)],
        ...(['created_at', 'last_used_at', 'expires_at'] as const),
      ]);
    });
}

function nothingListed(store: string, { unusedFor }: ListOptions): string {
  return unusedFor === undefined
    ? `No credentials in ${store}. Issue one: document-analysis credential issue --help`
    : `Every active credential in ${store} was used, or created, more recently than that.`;
}

function isListed(credential: ListedCredential, { unusedFor }: ListOptions, now: Date): boolean {
  if (unusedFor === undefined) return true;
  const lastUse = Date.parse(credential.last_used_at ?? credential.created_at);
  return credentialState(credential, now) === 'active' && lastUse <= now.getTime() - unusedFor;
}
