import type { Parameter } from '../../document/model.ts';
import type { Check } from '../../run/model.ts';
import type { Baseline } from '../baseline.ts';
import { defineCheck } from '../define-check.ts';
import { expectStatus } from '../expect.ts';
import { identifierParametersOf, malformedIdentifier, unknownIdentifier } from '../unknown-identifier.ts';

/** Checks the documented refusals of unknown and malformed identifiers. */
export function identifierChecks(baseline: Baseline): Check[] {
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
