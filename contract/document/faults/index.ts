import type { RawDocument } from '../raw.ts';
import type { Fault } from './fault.ts';
import { operationFaults, pathFaults } from './operation-faults.ts';
import { parameterFaults } from './parameter-faults.ts';
import { securityFaults } from './security-faults.ts';

/** The faults that prevent a document from being modelled. Its references are resolved; broken ones are undefined. */
export function* documentFaults(document: RawDocument): Iterable<Fault> {
  for (const key of ['title', 'version'] as const)
    if (typeof (document.info as Partial<RawDocument['info']> | undefined)?.[key] !== 'string')
      yield { place: ['info', key], message: `info.${key} is missing or not a text; write it in quotes` };
  yield* pathFaults(document);
  yield* operationFaults(document);
  yield* parameterFaults(document);
  yield* securityFaults(document);
}
