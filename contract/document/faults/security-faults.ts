import type { RawDocument, RawSecurityRequirement, RawSecurityScheme } from '../raw.ts';
import { entriesOf, type Fault, type Place, placedOperations } from './fault.ts';

/** Kinds of credentials that are not supported, and those that are required but not described. */
export function* securityFaults(document: RawDocument): Iterable<Fault> {
  const schemes = document.components?.securitySchemes;
  for (const [name, scheme] of entriesOf<RawSecurityScheme | undefined>(schemes))
    if (scheme && !isSupported(scheme))
      yield {
        place: ['components', 'securitySchemes', name],
        message: `the security scheme ${name} (${kindOf(scheme)}) is not supported; write type: apiKey with in: header, or type: http with scheme: bearer`,
      };
  const lists: [Place, RawSecurityRequirement[] | undefined][] = [
    [['security'], document.security],
    ...placedOperations(document).map(
      ({ place, operation }) => [[...place, 'security'], operation.security] as [Place, RawSecurityRequirement[]],
    ),
  ];
  for (const [place, requirements] of lists)
    for (const [index, requirement] of (requirements ?? []).entries())
      for (const name of Object.keys(requirement))
        if (schemes === undefined || !Object.hasOwn(schemes, name))
          yield {
            place: [...place, index, name],
            message: `the security scheme ${name} is not described; write it under components/securitySchemes, or name one of those: ${Object.keys(schemes ?? {}).join(', ') || 'none'}`,
          };
}

function isSupported({ type, in: where, name, scheme }: RawSecurityScheme): boolean {
  return type === 'apiKey' ? where === 'header' && name !== undefined : type === 'http' && isBearer(scheme);
}

function isBearer(scheme: string | undefined): boolean {
  return scheme?.toLowerCase() === 'bearer';
}

function kindOf({ type, in: where, scheme }: RawSecurityScheme): string {
  return [type, scheme, where && `in ${where}`].filter((word) => word !== undefined).join(' ');
}
