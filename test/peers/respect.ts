import { join } from 'node:path';
import type { Peer } from './peer.ts';
import { root } from './paths.ts';
import { complaintOf, runProgram } from './run-program.ts';

const description = join(import.meta.dirname, 'respect/happy-paths.arazzo.yaml');

/** `redocly respect` with an Arazzo description of the happy paths. */
export const respect: Peer = {
  name: 'respect',
  title: 'Redocly Respect with an Arazzo description of the happy paths',
  packages: ['scripts/node_modules/@redocly/cli'],
  written: ['test/peers/respect/happy-paths.arazzo.yaml'],
  judge: async ({ credentials }, folder) => {
    const { owner_key: key, access_token: token, case_id: caseId, empty_case_id: emptyCaseId } = credentials;
    const program = join(root, 'scripts/node_modules/@redocly/cli/bin/cli.js');
    return complaintOf(
      await runProgram(
        process.execPath,
        [program, 'respect', description, '--server', `api=${credentials.base_url}`],
        folder,
        {
          REDOCLY_CLI_RESPECT_INPUT: JSON.stringify({ key, token, caseId, emptyCaseId }),
          REDOCLY_TELEMETRY: 'off',
          REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
        },
      ),
      /✗ ((?:status|success|content|schema).*)/,
    );
  },
};
