/**
 * The collections, as their tools take them: Postman's is run by Postman's own runner. Bruno's and Insomnia's are imported by
 * Bruno, and what it has understood is run in the same way.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRequire } from 'node:module';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { MutableTarget } from '../../contract/mutants/mutant.ts';
import type { RawDocument } from '../../contract/document/raw.ts';
import { collectionsOf } from '../../scripts/docs/collections/collections.ts';
import type { PublishedFile } from '../../scripts/docs/published-file.ts';
import { startOwnTarget } from '../../scripts/own-target.ts';
import { TemporaryFolder } from '../support/temporary-folder.ts';
import { run } from '../package/packed.ts';

interface Converters {
  brunoToPostman: (collection: object) => object;
  insomniaToBruno: (text: string) => { environments: { name: string; variables: { name: string; value: string }[] }[] };
}
interface Execution {
  item: { name: string };
  response: { code: number };
}
const { brunoToPostman, insomniaToBruno } = createRequire(join(process.cwd(), 'scripts/package.json'))(
  '@usebruno/converters',
) as Converters;
const document = JSON.parse(readFileSync('generated/openapi.json', 'utf8')) as RawDocument;
const variables = ['baseUrl', 'apiKey', 'accessToken', 'caseId'];

let files: PublishedFile[];
let target: MutableTarget;
let folder: TemporaryFolder;
beforeAll(async () => {
  [files, target, folder] = await Promise.all([collectionsOf(document), startOwnTarget(), TemporaryFolder.make()]);
});
afterAll(async () => {
  await target.close();
  await folder.remove();
});

const textOf = (file: string) => files.find((one) => one.file === `collections/${file}`)?.text ?? '';

/** Sends every request of a collection, with the values of the server in place of its variables: names and statuses. */
async function statusesOf(collection: object): Promise<Record<string, number>> {
  const { base_url: baseUrl, owner_key: apiKey, access_token: accessToken, case_id: caseId } = target.credentials;
  const values = Object.entries({ baseUrl, apiKey, accessToken, caseId }).map(([key, value]) => ({ key, value }));
  const environment = await folder.write('environment.json', JSON.stringify({ name: 'Test', values }));
  const file = await folder.write('collection.json', JSON.stringify(collection));
  const report = join(folder.path, 'report.json');
  const newman = join(import.meta.dirname, 'node_modules/.bin/newman');
  const reporter = ['--reporters', 'json', '--reporter-json-export', report];
  await run(newman, ['run', file, '--environment', environment, ...reporter]);
  const { run: done } = JSON.parse(readFileSync(report, 'utf8')) as { run: { executions: Execution[] } };
  return Object.fromEntries(done.executions.map(({ item, response }) => [item.name, response.code]));
}

const allSucceed = {
  'Read a case and its files': 200,
  'Read the verification setting': 200,
  'Switch verification checks on or off': 200,
};

test('Postman has a request for each operation, and each succeeds', async () => {
  const collection = JSON.parse(textOf('postman.json')) as { variable: { key: string; value: string }[] };
  expect(collection.variable.map(({ key }) => key)).toEqual(variables);
  expect(await statusesOf(collection)).toEqual(allSucceed);
});

test('Bruno likewise, with the credentials as secrets of an environment', async () => {
  const collection = JSON.parse(textOf('bruno.json')) as {
    environments: { variables: { name: string; secret: boolean }[] }[];
  };
  expect(collection.environments.map((one) => one.variables.map(({ name, secret }) => [name, secret]))).toEqual([
    variables.map((name) => [name, name === 'apiKey' || name === 'accessToken']),
  ]);
  expect(await statusesOf(brunoToPostman(collection))).toEqual(allSucceed);
});

test('Insomnia likewise, with its variables in the base environment', async () => {
  const collection = insomniaToBruno(textOf('insomnia.yaml'));
  expect(collection.environments[0]?.variables.map(({ name }) => name)).toEqual(variables);
  expect(await statusesOf(brunoToPostman(collection))).toEqual(allSucceed);
});

test('no collection has a credential, and each is the same at every build', async () => {
  for (const file of ['postman.json', 'bruno.json']) expect(textOf(file)).not.toMatch(/\bda[kt]_(uk|ca)_/);
  expect(insomniaToBruno(textOf('insomnia.yaml')).environments[0]?.variables).toMatchObject([
    {},
    { value: '' },
    { value: '' },
    {},
  ]);
  expect(await collectionsOf(document)).toEqual(files);
});
