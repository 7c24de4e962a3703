import type { Mutant } from '../mutant.ts';
import { responseBodyMutants } from './response-bodies.ts';
import { responseHeaderMutants } from './response-headers.ts';
import { refusalMutants } from './refusals.ts';
import { accessMutants } from './access.ts';
import { requestBodyMutants } from './request-bodies.ts';
import { requestMutants } from './requests.ts';
import { stateMutants } from './state.ts';
import { operatorEffectMutants } from './operator-effects.ts';
import { concurrencyMutants } from './concurrency.ts';
import { messageMutants } from './messages.ts';
import { orderMutants } from './order.ts';
import { limitMutants } from './limits.ts';

/** Every mutant, by its kind. */
export const mutantsByKind: Readonly<Record<string, readonly Mutant[]>> = {
  'bodies of responses': responseBodyMutants,
  'headers of responses': responseHeaderMutants,
  'bytes of messages': messageMutants,
  refusals: refusalMutants,
  'order of checks': orderMutants,
  access: accessMutants,
  'bodies of requests': requestBodyMutants,
  requests: requestMutants,
  state: stateMutants,
  'requests at once': concurrencyMutants,
  'what an operator sees': operatorEffectMutants,
  limits: limitMutants,
};

const mutants = new Map(
  Object.values(mutantsByKind).flatMap((ofKind) => ofKind.map((mutant) => [mutant.name, mutant] as const)),
);

/** The mutant of this name. */
export function mutantNamed(name: string): Mutant | undefined {
  return mutants.get(name);
}
