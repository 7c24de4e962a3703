/** An operation that documents 304: what the suite makes of servers that send it, do not, or have no validator. */
import type { OutgoingHttpHeaders } from 'node:http';
import { expect, test } from '@jest/globals';
import { documentOf } from '../../contract/document/index.ts';
import { eachRun, reportOn, targetAt } from '../support/contract.ts';
import { json } from '../support/misbehaving-servers.ts';

const run = eachRun();
const content = { 'application/json': { schema: { type: 'object' } } };
const document = documentOf({
  openapi: '3.0.3',
  info: { title: 'News', version: '1' },
  paths: {
    '/news': {
      get: {
        operationId: 'getNews',
        responses: { '200': { description: 'News', content }, '304': { description: 'Nothing new' } },
      },
    },
  },
});

/** The outcomes on a server with this validator, and with these statuses of requests with a condition. */
async function outcomes(validator: () => OutgoingHttpHeaders, conditional: number): Promise<Record<string, string>> {
  const url = await run.serve((request, response) => {
    const { 'if-none-match': etag, 'if-modified-since': since } = request.headers;
    if (request.url !== '/news') response.writeHead(404).end();
    else if ((etag ?? since) === undefined || conditional === 200)
      response.writeHead(200, { ...json, ...validator() }).end('{}');
    else response.writeHead(conditional, validator()).end();
  });
  const { results } = await reportOn(targetAt(url), { document });
  const ofNotModified = results.filter(({ check: { id } }) => /not-modified|^conformance.*304/.test(id));
  return Object.fromEntries(ofNotModified.map(({ check, outcome }) => [check.id, outcome]));
}

const etag = () => ({ ETag: '"1"' });
const modified = () => ({ 'Last-Modified': 'Mon, 02 Mar 2026 09:15:00 GMT' });
let versions = 0;

test.each<[title: string, validator: () => OutgoingHttpHeaders, conditional: number, check: string, seen: boolean]>([
  ['sends 304 to its ETag', etag, 304, 'passed', true],
  ['sends 304 to its time of change', modified, 304, 'passed', true],
  ['sends the same again', etag, 200, 'failed', false],
  ['sends another status', etag, 412, 'failed', false],
  ['changes in between', () => ({ ETag: `"${(versions += 1)}"` }), 200, 'passed', false],
  ['has no validator', () => ({}), 200, 'not run', false],
])('a server that %s', async (_title, validator, conditional, check, seen) => {
  expect(await outcomes(validator, conditional)).toEqual({
    'generated.getNews.relation.not-modified': check,
    ...(seen ? { 'conformance.getNews.304.body': 'passed' } : { 'conformance.getNews.304': 'not run' }),
  });
});
