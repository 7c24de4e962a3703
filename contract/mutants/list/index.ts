import { harmlessVariants } from '../harmless.ts';
import type { Mutant } from '../mutant.ts';
import { accessMutants } from './access.ts';
import { limitMutants } from './limits.ts';
import { operatorEffectMutants } from './operator-effects.ts';
import { orderMutants, refusalMutants } from './refusals.ts';
import { requestBodyMutants, requestMutants } from './requests.ts';
import { responseBodyMutants } from './response-bodies.ts';
import { messageMutants, responseHeaderMutants } from './response-headers.ts';
import { concurrencyMutants, stateMutants } from './state.ts';

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

export const serversByKind = { ...mutantsByKind, 'harmless variants': harmlessVariants };

/** The mutants and harmless variants, by their names. */
export const plainServers: ReadonlyMap<string, Mutant> = new Map(
  Object.values(serversByKind).flatMap((servers) => servers.map((server) => [server.name, server])),
);
