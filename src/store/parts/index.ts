/** The parts of the store that the requests of the API do not pass through, written once for both engines. */
import type { PartStore } from '../part-store.ts';
import type { Access } from '../statements.ts';
import { analysisStore } from './analyses.ts';
import { auditStore } from './audit.ts';
import { cachedResultStore } from './cached-results.ts';
import { caseStore } from './cases.ts';
import { credentialStore } from './credentials.ts';
import { partOn } from './dialect.ts';
import { fileStore } from './files.ts';
import { leftoverStore } from './leftovers.ts';
import { organisationStore } from './organisations.ts';
import { recheckStore } from './rechecks.ts';
import { registerStore } from './registers.ts';
import { roleStore } from './roles.ts';

/** All parts on an engine. */
export function partsOn(access: Access): PartStore {
  const part = partOn(access);
  const parts = [
    organisationStore,
    roleStore,
    credentialStore,
    caseStore,
    fileStore,
    analysisStore,
    cachedResultStore,
    recheckStore,
    registerStore,
    leftoverStore,
    auditStore,
  ];
  return Object.assign({}, ...parts.map((store) => store(part))) as PartStore;
}
