import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { DocumentError, loadDocument } from '../../../contract/document/index.ts';
import { clientFaults } from '../../../scripts/generate/client-faults.ts';
import { TemporaryFolder } from '../../support/temporary-folder.ts';

const text = await readFile(join(import.meta.dirname, 'openapi.yaml'), 'utf8');

let folder: TemporaryFolder;
beforeEach(async () => {
  folder = await TemporaryFolder.make();
});
afterEach(() => folder.remove());

/** The faults of the document after a replacement in its text, a line each. */
async function faultsAfter(found: string, replacement: string): Promise<string[]> {
  const changed = text.replace(found, replacement);
  if (found !== '' && changed === text) throw new Error(`The document does not have ${found}`);
  const file = await folder.write('openapi.yaml', changed);
  const error = await loadDocument(file, [clientFaults]).then(
    () => undefined,
    (thrown: unknown) => thrown as Error,
  );
  if (error !== undefined && !(error instanceof DocumentError)) throw error;
  if (error === undefined) return [];
  return error.message.split('\n').map((line) => line.trim().replace(/^.*openapi\.yaml:/, ''));
}

const servers = '  - { url: https://api.uk.example, x-region: uk }';
const ownServers = (path: string, region: string, url = 'https://own.example') =>
  `  ${path}:\n    servers: [{ url: ${url}, x-region: ${region} }]`;

test('every shape of the document is taken', async () => {
  expect(await faultsAfter('', '')).toEqual([]);
  expect(await faultsAfter('  /status:', ownServers('/status', 'uk'))).toEqual([]);
});

test.each([
  [
    'a cookie parameter',
    '{ name: limit, in: query,',
    '{ name: limit, in: cookie,',
    '30: listCases has the cookie parameter limit, which the client cannot send; write in: header or in: query',
  ],
  [
    'a header parameter of the name of a query parameter',
    'name: If-None-Match',
    'name: limit',
    '30: listCases has limit as a query and as a header parameter, which the client cannot tell apart; give one another name',
  ],
  [
    'an operation that cannot succeed',
    "'204': { description: It is locked. }",
    "'404': { description: It is locked. }",
    "82: lockCase has errors alone; write the response of a success, such as '200' or '204'",
  ],
  [
    'a document without servers',
    `servers:\n${servers}\n`,
    '',
    '1: the document has no servers; write one for each region, with x-region',
  ],
  ['a server without a region', ', x-region: uk', '', '4: a server has no region; write it, such as x-region: uk'],
  [
    'a region without a server for some paths',
    '  /status:',
    ownServers('/status', 'ca'),
    '10: the region uk has no server here; write one with x-region: uk',
  ],
  [
    'paths with servers that differ',
    '  /status:',
    `${ownServers('/own', 'uk')}\n${ownServers('/status', 'uk', 'https://another.example')}`,
    '12: these are not the servers of the other paths with servers of their own; write the same ones',
  ],
])('%s is refused with its line and what to write instead', async (_what, found, replacement, fault) => {
  expect(await faultsAfter(found, replacement)).toEqual([fault]);
});
