/** The parts of the store that the requests of the API do not pass through, written once for both engines. */
import type { Access } from '../statements.ts';
import { analysisStore } from './analyses.ts';
import { auditStore, organisationStore } from './organisations.ts';
import { cachedResultStore } from './cached-results.ts';
import { caseStore } from './cases.ts';
import { credentialStore, roleStore } from './credentials.ts';
import { partOn } from './dialect.ts';
import { fileStore, leftoverStore } from './files.ts';
import { recheckStore } from './rechecks.ts';
import { registerStore } from './registers.ts';

export function partsOn(access: Access) {
  const part = partOn(access);
  return {
    ...organisationStore(part),
    ...roleStore(part),
    ...credentialStore(part),
    ...caseStore(part),
    ...fileStore(part),
    ...analysisStore(part),
    ...cachedResultStore(part),
    ...recheckStore(part),
    ...registerStore(part),
    ...leftoverStore(part),
    ...auditStore(part),
  };
}
