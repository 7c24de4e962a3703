/** Fastify with the peers' store, which reads and commits separately for each request. */
import { authenticateWithRights } from './support/authenticate.ts';
import { describeCase } from './support/case.ts';
import { serveWithFastify } from './support/fastify-app.ts';
import { store } from './support/store.ts';

await serveWithFastify({
  findCaller: authenticateWithRights,
  readSetting: store.readSetting,
  changeSetting: store.changeSetting,
  sendCase: (organisationId, caseId, reply) => {
    const found = store.readCase(organisationId, caseId);
    if (found) reply.send(describeCase(found));
    return found !== undefined;
  },
});
