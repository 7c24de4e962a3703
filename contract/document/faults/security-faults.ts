import type { RawDocument, RawSecurityRequirement } from '../raw.ts';
import { type Fault, type Place, placedOperations } from './fault.ts';

/** Security schemes that are required but not described. */
export function* securityFaults(document: RawDocument): Iterable<Fault> {
  const schemes = document.components?.securitySchemes;
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
