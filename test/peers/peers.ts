import { dredd } from './dredd.ts';
import { expressOpenapiValidator } from './express-openapi-validator.ts';
import { openapiBackend } from './openapi-backend.ts';
import type { Peer } from './peer.ts';
import { portman } from './portman.ts';
import { prism } from './prism.ts';
import { respect } from './respect.ts';
import { specmatic } from './specmatic.ts';
import { suite } from './suite.ts';

/** What is compared: the suite, and then the others, the quickest first. */
export const peers: readonly Peer[] = [
  suite,
  openapiBackend,
  expressOpenapiValidator,
  prism,
  dredd,
  respect,
  portman,
  specmatic,
];
