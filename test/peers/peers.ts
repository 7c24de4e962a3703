import { join } from 'node:path';
import { complaintOf, documentFile, dreddComplaint, installed, type Peer, root, runProgram } from './peer.ts';
import { readFile, writeFile, cp } from 'node:fs/promises';
import { runContract } from '../../contract/run/run.ts';
import { expressOpenapiValidator } from './express-openapi-validator.ts';
import { openapiBackend } from './openapi-backend.ts';
import { prism } from './prism.ts';

const hooks = join(import.meta.dirname, 'dredd/hooks.cjs');

/** `dredd DOCUMENT URL --hookfiles hooks.cjs`: each documented response but those that one request does not bring about. */
const dredd: Peer = {
  name: 'dredd',
  title: 'Dredd with hooks for credentials and for requests that are refused',
  packages: ['contract/replay/node_modules/dredd'],
  written: ['test/peers/dredd/hooks.cjs'],
  judge: async ({ credentials }, folder) => {
    const { owner_key: key, viewer_key: viewer, access_token: token, case_id: id } = credentials;
    const environment = { OWNER_KEY: key, VIEWER_KEY: viewer, ACCESS_TOKEN: token, CASE_ID: id };
    const program = join(root, 'contract/replay/node_modules/dredd/bin/dredd');
    const args = [program, documentFile, credentials.base_url, '--hookfiles', hooks];
    return complaintOf(dreddComplaint, process.execPath, args, folder, environment as Record<string, string>);
  },
};

const portmanSettings = join(import.meta.dirname, 'portman/portman-config.json');

/** Replaced in the settings by the case of the server. */
const caseOfSettings = 'de300000-0000-4000-8000-0000000000c1';

/** Made once, because it is the same for each server. */
let collection: Promise<string> | undefined;

/** `portman` makes a collection with contract, content and variation tests, which `newman run` runs. */
const portman: Peer = {
  name: 'portman',
  title: 'Portman with contract, content and variation tests, run by Newman',
  packages: ['test/peers/node_modules/@apideck/portman', 'test/peers/node_modules/newman'],
  written: ['test/peers/portman/portman-config.json'],
  judge: async ({ credentials }, folder) => {
    const { case_id: caseId = '', base_url: baseUrl, access_token: bearerToken } = credentials;
    const { owner_key: apiKey, viewer_key: viewerKey } = credentials;
    const values = Object.entries({ baseUrl, apiKey, viewerKey, bearerToken }).map(([key, value]) => ({ key, value }));
    const made = await (collection ??= makeCollection(folder));
    await writeFile(join(folder, 'collection.json'), made.replaceAll(caseOfSettings, caseId));
    await writeFile(join(folder, 'environment.json'), JSON.stringify({ name: 'target', values }));
    const args = [installed('newman/bin/newman.js'), 'run', 'collection.json', '-e', 'environment.json'];
    return complaintOf(/^ +1\. (.*)$/m, process.execPath, args, folder);
  },
};

async function makeCollection(folder: string): Promise<string> {
  const file = join(folder, 'collection.json');
  const args = [installed('@apideck/portman/bin/portman'), '-l', documentFile, '-c', portmanSettings, '-o', file];
  const { code, output } = await runProgram(process.execPath, args, folder);
  if (code !== 0) throw new Error(`Portman has made no collection: ${output}`);
  return readFile(file, 'utf8');
}

const description = join(import.meta.dirname, 'respect/happy-paths.arazzo.yaml');

/** `redocly respect` with an Arazzo description of the happy paths. */
const respect: Peer = {
  name: 'respect',
  title: 'Redocly Respect with an Arazzo description of the happy paths',
  packages: ['scripts/node_modules/@redocly/cli'],
  written: ['test/peers/respect/happy-paths.arazzo.yaml'],
  judge: async ({ credentials }, folder) => {
    const { owner_key: key, access_token: token, case_id: caseId, empty_case_id: emptyCaseId } = credentials;
    const program = join(root, 'scripts/node_modules/@redocly/cli/bin/cli.js');
    const args = [program, 'respect', description, '--server', `api=${credentials.base_url}`];
    return complaintOf(/✗ ((?:status|success|content|schema).*)/, process.execPath, args, folder, {
      REDOCLY_CLI_RESPECT_INPUT: JSON.stringify({ key, token, caseId, emptyCaseId }),
      REDOCLY_TELEMETRY: 'off',
      REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
    });
  },
};

const specmaticSettings = ['specmatic.yaml', 'overlay.yaml'];

/** `specmatic test` with resiliency tests, and an overlay that names a request for each named example it can use. */
const specmatic: Peer = {
  name: 'specmatic',
  title: 'Specmatic with resiliency tests',
  packages: ['test/peers/node_modules/specmatic'],
  written: specmaticSettings.map((file) => `test/peers/specmatic/${file}`),
  needs: ['java', '-version'],
  judge: async ({ credentials }, folder) => {
    const { owner_key: apiKey = '', access_token: accessToken = '', base_url: url } = credentials;
    const { case_id: caseId = '', empty_case_id: emptyCaseId = '' } = credentials;
    for (const file of specmaticSettings) {
      const text = await readFile(join(import.meta.dirname, 'specmatic', file), 'utf8');
      await writeFile(join(folder, file), text.replace('CASE_ID', caseId).replace('EMPTY_CASE', emptyCaseId));
    }
    await cp(documentFile, join(folder, 'openapi.json'));
    const jar = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-jar', installed('specmatic/specmatic.jar')];
    const args = [...jar, 'test', `--testBaseURL=${url}`, '--overlay-file=overlay.yaml'];
    return complaintOf(/Scenario: (.*) has FAILED/, 'java', args, folder, { apiKey, accessToken });
  },
};

/** The contract suite of this project, in the order in which a user runs it, until its first failure. */
const suite: Peer = {
  name: 'document-analysis-contract',
  title: 'document-analysis-contract check',
  packages: ['contract'],
  written: ['contract/own-api'],
  judge: async (target) => {
    const caught = new AbortController();
    let first: string | undefined;
    const fail = (id: string) => {
      first ??= id;
      caught.abort(new Error('a check has failed'));
    };
    const options = { seed: 1, timeoutSeconds: 5, runTimeoutSeconds: 220, signal: caught.signal };
    const { problems } = await runContract(
      { ...target, respondsWithExamples: false },
      { ...options, allowExtraFields: false, requireAll: false, stopAtFirstFailure: true },
      {
        onResult: ({ outcome, check }) => {
          if (outcome === 'failed') fail(check.id);
        },
        onViolation: fail,
        onNotice: () => undefined,
      },
    );
    // A run that has not come to its end has not passed.
    if (first === undefined && problems.length > 0) throw new Error(problems.join('; '));
    return first;
  },
};

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
