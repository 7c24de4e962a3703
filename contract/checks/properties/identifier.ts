import type { Check, CheckContext, CredentialName, Need } from '../../run/model.ts';
import type { Baseline } from '../baseline.ts';
import { defineCheck } from '../define-check.ts';
import { expectIdentifiesNothing, identifierParametersOf } from '../expect-not-found.ts';
import { oddIdentifiers } from '../malformed-identifiers.ts';

const foreignIdentifiers: Record<string, CredentialName> = { '/cases/{id}': 'other_case_id' };
const specimen = '6f1c2a52-5a7e-4d0b-9c38-1f4e8a7b2d10';

/** Checks that every identifier of nothing is answered alike, whatever it looks like. */
export function identifierChecks(baseline: Baseline): Check[] {
  const { operation } = baseline;
  const foreign = foreignIdentifiers[operation.path];
  return identifierParametersOf(operation).flatMap((parameter) => {
    const check = (name: string, from: readonly Need[], identifierOf: (context: CheckContext) => string): Check =>
      defineCheck(baseline, {
        name: `parameter.${parameter.name}.${name}`,
        title: `the identifier ${name} is answered like an unknown one`,
        needs: [...baseline.needs, ...from],
        run: (context) =>
          expectIdentifiesNothing(baseline, parameter, identifierOf(context), context, (request) =>
            context.call(request),
          ),
      });
    return [
      ...Object.keys(oddIdentifiers(specimen)).map((name) =>
        check(name, [], (context) => oddIdentifiers(validIdentifier(baseline, context, parameter.name))[name] ?? ''),
      ),
      ...(foreign === undefined ? [] : [check('other-organisation', [foreign], (c) => c.credential(foreign))]),
    ];
  });
}

function validIdentifier({ operation, path }: Baseline, context: CheckContext, parameter: string): string {
  const index = operation.path.split('/').indexOf(`{${parameter}}`);
  return path(context).split('?')[0]?.split('/')[index] ?? '';
}
