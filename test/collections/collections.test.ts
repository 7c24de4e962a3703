/** The collection for Postman, run by Postman's own runner. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import type { RawDocument } from '../../contract/document/raw.ts';
import { postmanFile } from '../../scripts/docs/build.ts';
import { startOwnTarget } from '../../scripts/own-target.ts';
import { afterwards } from '../support/afterwards.ts';
import { TemporaryFolder } from '../support/temporary-folder.ts';
import { run } from '../package/packed.ts';

interface Execution {
  item: { name: string };
  response: { code: number };
}

const document = JSON.parse(readFileSync('generated/openapi.json', 'utf8')) as RawDocument;

const [target, folder] = await Promise.all([startOwnTarget(), TemporaryFolder.make()]);
afterwards(() => target.close());

test('has a request for each operation, and each succeeds with the server and the credentials as variables', async () => {
  const { base_url: baseUrl, owner_key: apiKey, access_token: bearerToken, case_id: caseId } = target.credentials;
  const values = Object.entries({ baseUrl, apiKey, bearerToken }).map(([key, value]) => ({ key, value }));
  const environment = await folder.write('environment.json', JSON.stringify({ name: 'Test', values }));
  const collection = JSON.parse((await postmanFile(document)).content.toString(), (key, value: unknown) =>
    key === 'variable' && Array.isArray(value) && value.some((each: { key?: string }) => each.key === 'id')
      ? [{ key: 'id', value: caseId }]
      : value,
  ) as object;
  const file = await folder.write('collection.json', JSON.stringify(collection));
  const report = join(folder.path, 'report.json');
  const newman = join(import.meta.dirname, 'node_modules/.bin/newman');
  const reporter = ['--reporters', 'json', '--reporter-json-export', report];
  await run(newman, ['run', file, '--environment', environment, ...reporter]);
  const { run: done } = JSON.parse(readFileSync(report, 'utf8')) as { run: { executions: Execution[] } };
  expect(Object.fromEntries(done.executions.map(({ item, response }) => [item.name, response.code]))).toEqual({
    'Read a case and its files': 200,
    'Read the verification setting': 200,
    'Switch verification checks on or off': 200,
  });
});

test('has no credential, and is the same at every build', async () => {
  const file = await postmanFile(document);
  expect(file.content.toString()).not.toMatch(/\bda[kt]_(uk|ca)_/);
  expect(await postmanFile(document)).toEqual(file);
});
