import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import type { Peer } from './peer.ts';
import { documentFile, installed } from './paths.ts';
import { complaintOf, runProgram } from './run-program.ts';

const settings = ['specmatic.yaml', 'overlay.yaml'];

/** `specmatic test` with resiliency tests, and an overlay that names a request for each named example it can use. */
export const specmatic: Peer = {
  name: 'specmatic',
  title: 'Specmatic with resiliency tests',
  packages: ['test/peers/node_modules/specmatic'],
  written: settings.map((file) => `test/peers/specmatic/${file}`),
  needs: ['java', '-version'],
  judge: async ({ credentials }, folder) => {
    for (const file of settings) await cp(join(import.meta.dirname, 'specmatic', file), join(folder, file));
    await cp(documentFile, join(folder, 'openapi.json'));
    const { owner_key: apiKey = '', access_token: accessToken = '', base_url: url } = credentials;
    const args = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-jar', installed('specmatic/specmatic.jar')];
    return complaintOf(
      await runProgram('java', [...args, 'test', `--testBaseURL=${url}`, '--overlay-file=overlay.yaml'], folder, {
        apiKey,
        accessToken,
      }),
      /Scenario: (.*) has FAILED/,
    );
  },
};
