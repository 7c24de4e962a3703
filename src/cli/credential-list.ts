import { forRegion } from '../domain/region.ts';
import type { Command } from 'commander';
import { credentialState, expiresSoon, type ListedCredential } from '../domain/credential.ts';
import { duration, identifier, reportingCommand } from './arguments.ts';
import type { CliContext } from './context.ts';
import { printResult } from './output.ts';
import { readOrganisation, withStore } from './with-store.ts';

interface ListOptions {
  /** In milliseconds. */
  unusedFor?: number;
  json?: boolean;
}

/** Lists credentials with their state and last use. */
export function credentialListCommand(context: CliContext): Command {
  return reportingCommand(
    'list',
    'List credentials, oldest first, with their state and last use. Secrets are never shown.',
    [
      'credential list',
      'credential list --unused-for 90d',
      'credential list 6f1c2a52-5a7e-4d0b-9c38-1f4e8a7b2d10 --json',
    ],
  )
    .argument('[organisation]', 'only the credentials of this organisation', identifier)
    .option('--unused-for <duration>', 'only active credentials not used for this long, such as 90d or 12h', duration)
    .action((organisationId: string | undefined, options: ListOptions, command: Command) =>
      withStore(context, command, async (store, { region }) => {
        if (organisationId !== undefined) await readOrganisation(store, organisationId);
        const now = context.now();
        const credentials = (await store.listCredentials(organisationId))
          .filter((credential) => isListed(credential, options, now))
          .map((credential) => ({
            ...credential,
            state: credentialState(credential, now),
            expires_soon: expiresSoon(credential, now),
          }));
        await printResult(context, options, credentials, (layOut) =>
          credentials.length === 0
            ? forRegion(nothingListed(store.name, options), region)
            : layOut(
                ['CREDENTIAL', 'ORGANISATION', 'KIND', 'ROLE', 'STATE', 'CREATED', 'LAST USED', 'EXPIRES'],
                credentials.map((credential) => [
                  credential.credential_id,
                  credential.organisation_id,
                  credential.kind,
                  credential.role,
                  credential.expires_soon ? 'expires soon' : credential.state,
                  credential.created_at,
                  credential.last_used_at,
                  credential.expires_at,
                ]),
              ),
        );
      }),
    );
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
