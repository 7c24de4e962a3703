/** The journeys of openapi/journeys.arazzo.yaml, run against a server by Respect. */
import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { describe, expect, test } from '@jest/globals';
import type { DemoData } from '../../src/demo/create-demo.ts';
import { jsonOf, startServer } from '../support/process.ts';

const redocly = createRequire(new URL('../../scripts/', import.meta.url)).resolve('@redocly/cli/bin/cli.js');

const { url, dataDir } = await startServer();
const printed = <T>(...words: string[]) => jsonOf<T>([...words, '--data-dir', dataDir]);
const demo = await printed<DemoData>('demo', '--port', new URL(url).port);
const [organisation] = await printed<{ organisation_id: string }[]>('organisation', 'list');
const owner = ['--organisation', organisation?.organisation_id ?? ''];
const imported = await printed<{ case_ids: string[] }>('case', 'import', 'docs/examples/case.json', ...owner);
const [caseId = ''] = imported.case_ids;
await printed('file', 'add', caseId, 'docs/examples/invoice.pdf');
/** A case with a file that the server analyses, and credentials that may read it or lack something. */
const inputs = {
  ...{ ownerKey: demo.owner_key, viewerKey: demo.viewer_key, featureOffKey: demo.feature_off_key },
  ...{ accessToken: demo.access_token, caseId, otherCaseId: demo.other_case_id },
};

/** Runs all journeys. The credentials are in the environment, because arguments are no secret. */
function respect(given: Record<string, string>): Promise<{ exitCode: unknown; output: string }> {
  const env = {
    ...process.env,
    NO_COLOR: '1',
    REDOCLY_TELEMETRY: 'off',
    REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
    REDOCLY_CLI_RESPECT_INPUT: JSON.stringify(given),
    REDOCLY_CLI_RESPECT_SERVER: `documentAnalysis=${url}`,
  };
  return new Promise((resolve) => {
    execFile(process.execPath, [redocly, 'respect', 'openapi/journeys.arazzo.yaml'], { env }, (error, out, err) => {
      resolve({ exitCode: error?.code ?? 0, output: out + err });
    });
  });
}

describe('Respect', () => {
  test('finds that the server conforms in every step of each journey, and shows no credential', async () => {
    const { exitCode, output } = await respect(inputs);
    expect(output).toMatch(/Workflows: 3 passed, 3 total/);
    expect(output).toMatch(/Steps: 8 passed, 8 total/);
    expect(exitCode).toBe(0);
    for (const secret of Object.values(inputs).filter((value) => value.startsWith('da')))
      expect(output).not.toContain(secret);
  });

  test('finds what differs: a caller who may change the setting is not refused', async () => {
    const { exitCode, output } = await respect({ ...inputs, viewerKey: inputs.ownerKey });
    expect(output).toMatch(/✗ PUT \/organisations\/features\/verification - step without-permission/);
    expect(output).toMatch(/Workflows: 2 passed, 1 failed, 3 total/);
    expect(exitCode).toBe(1);
  });

  test('is given the journeys by the server, beside the description that they name', async () => {
    const [journeys, description] = await Promise.all(
      ['journeys.arazzo.yaml', 'openapi.yaml'].map((name) => fetch(new URL(name, url))),
    );
    expect([journeys?.status, description?.status]).toEqual([200, 200]);
    expect(journeys?.headers.get('content-type')).toBe('application/yaml');
    expect(await journeys?.text()).toMatch(/^arazzo: 1\.0\.1\n[^]*url: \.\/openapi\.yaml\n/);
  });
});
