import { forRegion } from '../domain/region.ts';
import { randomUUID } from 'node:crypto';
import { Argument, Command, InvalidArgumentError } from 'commander';
import { declaredFeatures } from '../domain/declared-rights.ts';
import { type Organisation, verificationFeature } from '../domain/organisation.ts';
import { collect, identifier, reportingCommand } from './arguments.ts';
import type { CliContext } from './context.ts';
import { CliError, printable } from './errors.ts';
import { printResult } from './output.ts';
import { readOrganisation, withNewStore, withStore } from './with-store.ts';

const featureDescription = `the feature: ${declaredFeatures.join(', ')}`;
const nameLength = 255;

/** The commands for organisations and their features. */
export function organisationCommand(context: CliContext): Command {
  return new Command('organisation')
    .description('Manage organisations and their features')
    .addCommand(createCommand(context))
    .addCommand(listCommand(context))
    .addCommand(featureCommand(context));
}

function createCommand(context: CliContext): Command {
  return reportingCommand('create', 'Create an organisation.', [
    'organisation create "Acme Ltd" --feature verification',
  ])
    .argument('<name>', `the name, unique, at most ${nameLength} characters`, nameOf)
    .option('--feature <feature>', `${featureDescription}; may be repeated`, collect)
    .action(
      (
        name: string,
        { feature: features = [], ...options }: { feature?: string[]; json?: boolean },
        command: Command,
      ) =>
        withNewStore(context, command, async (store) => {
          features.forEach(refuseUnlessDeclared);
          const organisation: Organisation = {
            organisation_id: randomUUID(),
            name,
            created_at: context.now().toISOString(),
            features: [...new Set(features)],
            verification_enabled: false,
          };
          await store.createOrganisation(organisation);
          await printResult(
            context,
            options,
            organisation,
            () => `Created organisation ${organisation.organisation_id}.`,
          );
        }),
    );
}

function listCommand(context: CliContext): Command {
  return reportingCommand('list', 'List organisations, oldest first.', [
    'organisation list',
    'organisation list --region ca --json',
  ]).action((options: { json?: boolean }, command: Command) =>
    withStore(context, command, async (store, { region }) => {
      const organisations = await store.listOrganisations();
      await printResult(context, options, organisations, (layOut) =>
        organisations.length === 0
          ? forRegion(
              `No organisations in ${store.name}. Create one: document-analysis organisation create NAME`,
              region,
            )
          : layOut(
              ['ORGANISATION', 'NAME', 'CREATED', 'FEATURES', 'VERIFICATION'],
              organisations.map((organisation) => [
                organisation.organisation_id,
                organisation.name,
                organisation.created_at,
                organisation.features.join(', ') || null,
                describeSetting(organisation),
              ]),
            ),
      );
    }),
  );
}

function featureCommand(context: CliContext): Command {
  return reportingCommand('feature', 'Switch a feature of an organisation on or off.', [
    'organisation feature 6f1c2a52-5a7e-4d0b-9c38-1f4e8a7b2d10 verification on',
  ])
    .argument('<organisation>', "the organisation's identifier", identifier)
    .argument('<feature>', featureDescription)
    .addArgument(new Argument('<state>', 'the new state').choices(['on', 'off']))
    .action((id: string, feature: string, state: string, options: { json?: boolean }, command: Command) =>
      withStore(context, command, async (store) => {
        const before = await readOrganisation(store, id);
        if (state === 'on' || !before.features.includes(feature)) refuseUnlessDeclared(feature);
        const occurredAt = context.now().toISOString();
        const { cleared } = await store.updateFeature({
          organisationId: id,
          feature,
          enabled: state === 'on',
          occurredAt,
        });
        const organisation = await readOrganisation(store, id);
        await printResult(context, options, organisation, () =>
          describeFeature(organisation, { feature, state, cleared }),
        );
      }),
    );
}

function nameOf(text: string): string {
  const name = text.trim();
  if (name === '' || name.length > nameLength || /\p{Cc}/u.test(name))
    throw new InvalidArgumentError(`A name must have 1 to ${nameLength} characters, none of them a control character.`);
  return name;
}

function describeSetting({ verification_enabled: enabled, features }: Organisation): string {
  if (!enabled) return 'off';
  return features.includes(verificationFeature) ? 'on' : 'on, without the feature';
}

function describeFeature(
  { name, features, verification_enabled: enabled }: Organisation,
  { feature, state, cleared }: { feature: string; state: string; cleared: number },
): string {
  const outcome = `Feature ${feature} is now ${state} for ${printable(name)}.`;
  if (feature !== verificationFeature || !enabled) return outcome;
  const checks = features.includes(feature)
    ? 'run checks'
    : 'run no checks, although the verification setting stays on';
  return `${outcome} New analyses ${checks}. Cached results cleared: ${cleared}.`;
}

function refuseUnlessDeclared(feature: string): void {
  if (!declaredFeatures.includes(feature))
    throw new CliError(`Unknown feature ${printable(feature)}. Known features: ${declaredFeatures.join(', ')}.`);
}
