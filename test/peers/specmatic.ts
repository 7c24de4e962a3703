import { cp, readFile, writeFile } from 'node:fs/promises';
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
    const { owner_key: apiKey = '', access_token: accessToken = '', base_url: url } = credentials;
    const { case_id: caseId = '', empty_case_id: emptyCaseId = '' } = credentials;
    for (const file of settings) {
      const text = await readFile(join(import.meta.dirname, 'specmatic', file), 'utf8');
      await writeFile(join(folder, file), text.replace('CASE_ID', caseId).replace('EMPTY_CASE', emptyCaseId));
    }
    await cp(documentFile, join(folder, 'openapi.json'));
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
