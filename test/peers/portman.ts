import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Peer } from './peer.ts';
import { documentFile, installed } from './paths.ts';
import { complaintOf, runProgram } from './run-program.ts';

const settings = join(import.meta.dirname, 'portman/portman-config.json');

/** Replaced in the settings by the case of the server. */
const caseOfSettings = 'de300000-0000-4000-8000-0000000000c1';

/** Made once, because it is the same for each server. */
let collection: Promise<string> | undefined;

/** `portman` makes a collection with contract, content and variation tests, which `newman run` runs. */
export const portman: Peer = {
  name: 'portman',
  title: 'Portman with contract, content and variation tests, run by Newman',
  packages: ['test/peers/node_modules/@apideck/portman', 'test/peers/node_modules/newman'],
  written: ['test/peers/portman/portman-config.json'],
  judge: async ({ credentials }, folder) => {
    const {
      case_id: caseId = '',
      base_url: baseUrl,
      owner_key: apiKey,
      viewer_key: viewerKey,
      access_token: bearerToken,
    } = credentials;
    const values = Object.entries({ baseUrl, apiKey, viewerKey, bearerToken }).map(([key, value]) => ({ key, value }));
    const made = await (collection ??= makeCollection(folder));
    await writeFile(join(folder, 'collection.json'), made.replaceAll(caseOfSettings, caseId));
    await writeFile(join(folder, 'environment.json'), JSON.stringify({ name: 'target', values }));
    return complaintOf(
      await runProgram(
        process.execPath,
        [installed('newman/bin/newman.js'), 'run', 'collection.json', '-e', 'environment.json'],
        folder,
      ),
      /^ +1\. (.*)$/m,
    );
  },
};

async function makeCollection(folder: string): Promise<string> {
  const file = join(folder, 'collection.json');
  const args = [installed('@apideck/portman/bin/portman'), '-l', documentFile, '-c', settings, '-o', file];
  const { code, output } = await runProgram(process.execPath, args, folder);
  if (code !== 0) throw new Error(`Portman has made no collection: ${output}`);
  return readFile(file, 'utf8');
}
