import type { Check, CheckContext, CredentialName, Need } from '../../run/model.ts';
import type { Baseline } from '../baseline.ts';
import { defineCheck } from '../define-check.ts';
import { expectNotFound, identifierParametersOf, isValid } from '../expect-not-found.ts';
import { identifiersOf } from '../parameters.ts';
import { malformedIdentifier, unknownIdentifier } from '../unknown-identifier.ts';
import { expectStatus } from '../expect.ts';
import type { Parameter } from '../../document/model.ts';
import { malformedIdentifiers } from '../malformed-identifiers.ts';

const foreignIdentifiers: Partial<Record<CredentialName, CredentialName>> = { case_id: 'other_case_id' };
const specimen = '6f1c2a52-5a7e-4d0b-9c38-1f4e8a7b2d10';

/** Checks that all identifiers of no resource get the same response, whatever their form. */
export function identifierChecks(baseline: Baseline): Check[] {
  const { operation } = baseline;
  if (!baseline.isOwn) return documentedIdentifierChecks(baseline);
  // If the operation has no 404, any value that the schema allows may be valid.
  const hasNotFound = operation.responses['404'] !== undefined;
  return identifierParametersOf(operation).flatMap((parameter) => {
    const own = identifiersOf(operation, baseline.document)[parameter.name];
    const foreign = own && foreignIdentifiers[own];
    const check = (name: string, from: readonly Need[], identifierOf: (context: CheckContext) => string): Check =>
      defineCheck(baseline, {
        name: `parameter.${parameter.name}.${name}`,
        title: `the identifier ${name} gets the same response as an unknown one`,
        source: 'decision',
        needs: [...baseline.needs, ...from],
        run: (context) => expectNotFound(baseline, parameter, identifierOf(context), context),
      });
    return [
      ...Object.entries(malformedIdentifiers(specimen))
        .filter(([, malformed]) => hasNotFound || !isValid(parameter.schema, malformed))
        .map(([name]) =>
          check(
            name,
            [],
            (context) => malformedIdentifiers(validIdentifier(baseline, context, parameter.name))[name] ?? '',
          ),
        ),
      ...(foreign === undefined || !hasNotFound
        ? []
        : [check('other-organisation', [foreign], (c) => c.credential(foreign))]),
    ];
  });
}

function validIdentifier({ operation, path }: Baseline, context: CheckContext, parameter: string): string {
  const index = operation.path.split('/').indexOf(`{${parameter}}`);
  return path(context).split('?')[0]?.split('/')[index] ?? '';
}

/** Checks the documented refusals of unknown and malformed identifiers. */
function documentedIdentifierChecks(baseline: Baseline): Check[] {
  const { operation, refusals } = baseline;
  const check = (parameter: Parameter, name: string, text: string, statuses: readonly number[]) =>
    defineCheck(baseline, {
      name: `parameter.${parameter.name}.${name}`,
      title: `the ${name} identifier ${text} is refused`,
      run: async (context) => {
        const path = baseline.path(context, { [parameter.name]: text });
        expectStatus(await context.call(baseline.request(context, { path })), ...statuses);
      },
    });
  return identifierParametersOf(operation).flatMap((parameter) => {
    const unknown = unknownIdentifier(parameter);
    const malformed = malformedIdentifier(parameter);
    const refused = [...refusals.invalid, ...refusals.unknown];
    // A request that changes something may create the resource, or find it already changed.
    const isRead = ['get', 'head'].includes(operation.method) && refusals.unknown.length > 0;
    return [
      ...(isRead && unknown !== undefined ? [check(parameter, 'unknown', unknown, refusals.unknown)] : []),
      ...(malformed !== undefined && refused.length > 0 ? [check(parameter, 'malformed', malformed, refused)] : []),
    ];
  });
}
