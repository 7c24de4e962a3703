import { expect, test } from '@jest/globals';
import type { DemoData } from '../../src/demo/create-demo.ts';
import { clientOf, failureOf } from '../support/client.ts';
import { serving, startProgram, withDataDir } from '../support/process.ts';

test('the client works with a started server and the credentials of its demo', async () => {
  await withDataDir(async (dataDir) => {
    const server = startProgram(['serve', '--port', '0', '--data-dir', dataDir], { NODE_ENV: 'production' });
    const url = await serving(server);
    const demo = startProgram(['demo', '--json', '--data-dir', dataDir]);
    expect(await demo.ended).toBe(0);
    const { owner_key: apiKey, access_token: accessToken, case_id: caseId } = JSON.parse(demo.stdout()) as DemoData;
    const client = clientOf(url, { apiKey, accessToken, retries: 0 });
    expect(await client.updateVerificationSetting({ enabled: true })).toEqual({ enabled: true });
    expect(await client.getVerificationSetting()).toEqual({ enabled: true });
    expect(await client.getCase(caseId)).toMatchObject({ case_id: caseId });
    const error = await failureOf(client.getCase('absent'));
    expect(error).toMatchObject({ status: 404, code: 'request.cases.case.not-found' });
    server.child.kill('SIGTERM');
    expect(await server.ended).toBe(0);
    expect(server.stderr()).toContain((error as { requestId: string }).requestId);
    expect(await failureOf(client.getVerificationSetting())).toMatchObject({ name: 'ConnectionError' });
  });
});
