import { join } from 'node:path';
import type { Peer } from './peer.ts';
import { documentFile, root } from './paths.ts';
import { complaintOf, runProgram } from './run-program.ts';

const hooks = join(import.meta.dirname, 'dredd/hooks.cjs');

/** `dredd DOCUMENT URL --hookfiles hooks.cjs`: each documented response but those that one request does not bring about. */
export const dredd: Peer = {
  name: 'dredd',
  title: 'Dredd with hooks for credentials and for requests that are refused',
  packages: ['contract/replay/node_modules/dredd'],
  written: ['test/peers/dredd/hooks.cjs'],
  judge: async ({ credentials }, folder) => {
    const { owner_key: key, viewer_key: viewer, access_token: token, case_id: id } = credentials;
    const environment = { OWNER_KEY: key, VIEWER_KEY: viewer, ACCESS_TOKEN: token, CASE_ID: id };
    const program = join(root, 'contract/replay/node_modules/dredd/bin/dredd');
    const args = [program, documentFile, credentials.base_url, '--hookfiles', hooks];
    return complaintOf(
      await runProgram(process.execPath, args, folder, environment as Record<string, string>),
      /^fail: (.*)\n(?=fail: (?:body|headers|statusCode))/m,
    );
  },
};
