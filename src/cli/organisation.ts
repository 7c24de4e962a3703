import { randomUUID } from 'node:crypto';
import { Argument, type Command, InvalidArgumentError } from 'commander';
import { declaredFeatures, type Organisation, verificationFeature } from '../domain/organisation.ts';
import { collect, identifier } from './arguments.ts';
import { commandGroup, readOrganisation, refuseUnlessKnown, ReportingCommand, type StoreRun } from './command.ts';
import type { CliContext } from './context.ts';
import { printable } from './errors.ts';

const featureDescription = `the feature: ${declaredFeatures.join(', ')}`;
const nameLength = 255;

export function organisationCommand(context: CliContext): Command {
  const commands = [createCommand, listCommand, featureCommand];
  return commandGroup(context, 'organisation', 'Manage organisations and their features', commands);
}

function createCommand(context: CliContext): Command {
  const examples = ['organisation create "Acme Ltd" --feature verification'];
  return new ReportingCommand(context, 'create', 'Create an organisation.', examples)
    .argument('<name>', `the name, unique, at most ${nameLength} characters`, nameOf)
    .option('--feature <feature>', `${featureDescription}; may be repeated`, collect)
    .onNewStore(async ({ store, options, report }: StoreRun<{ feature?: string[] }>, name: string) => {
      const { feature: features = [] } = options;
      for (const feature of features) refuseUnlessKnown('feature', feature, declaredFeatures);
      const organisation: Organisation = {
        organisation_id: randomUUID(),
        name,
        created_at: context.now().toISOString(),
        features: [...new Set(features)],
        verification_enabled: false,
      };
      await store.createOrganisation(organisation);
      await report(organisation, () => `Created organisation ${organisation.organisation_id}.`);
    });
}

function listCommand(context: CliContext): Command {
  return new ReportingCommand(context, 'list', 'List organisations, oldest first.', [
    'organisation list',
    'organisation list --region ca --json',
  ]).onStore(async ({ store, reportList }) => {
    const organisations = await store.listOrganisations();
    const none = `No organisations in ${store.name}. Create one: document-analysis organisation create NAME`;
    const verification = ['VERIFICATION', describeSetting] as const;
    await reportList(organisations, none, ['organisation_id', 'name', 'created_at', 'features', verification]);
  });
}

function featureCommand(context: CliContext): Command {
  const examples = ['organisation feature 6f1c2a52-5a7e-4d0b-9c38-1f4e8a7b2d10 verification on'];
  return new ReportingCommand(context, 'feature', 'Switch a feature of an organisation on or off.', examples)
    .argument('<organisation>', "the organisation's identifier", identifier)
    .argument('<feature>', featureDescription)
    .addArgument(new Argument('<state>', 'the new state').choices(['on', 'off']))
    .onStore(async ({ store, report }, id: string, feature: string, state: string) => {
      const before = await readOrganisation(store, id);
      const enabled = state === 'on';
      if (enabled || !before.features.includes(feature)) refuseUnlessKnown('feature', feature, declaredFeatures);
      const occurredAt = context.now().toISOString();
      const { cleared } = await store.updateFeature({ organisationId: id, feature, enabled, occurredAt });
      const organisation = await readOrganisation(store, id);
      await report(organisation, () => describeFeature(organisation, { feature, state, cleared }));
    });
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
