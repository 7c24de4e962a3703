/** Operations whose bodies are forms: only the checks of the fields that a server does not read fail, and all others pass. */
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { loadDocument } from '../../contract/document/index.ts';
import type { Report } from '../../contract/run/model.ts';
import { eachRun, idsOf, reportOn, targetAt } from '../support/contract.ts';

const document = await loadDocument(fileURLToPath(new URL('./documents/photos.yaml', import.meta.url)));

/** The field in which a form is wrong, as Node.js' own parser reads it; undefined if it is right. */
async function faultOf(path: string, contentType: string, body: Buffer): Promise<string | undefined> {
  // oxlint-disable-next-line typescript/no-deprecated -- a parser other than the one that is tested, for bodies of a test
  const form = await new Response(new Uint8Array(body), { headers: { 'content-type': contentType } }).formData();
  const text = (name: string) => form.getAll(name).map(String).join();
  if (path === '/token') {
    if (text('grant_type') !== 'client_credentials') return 'grant_type';
    return /^\d{1,4}$/.test(text('ttl')) && Number(text('ttl')) >= 1 && Number(text('ttl')) <= 3600 ? undefined : 'ttl';
  }
  const [photo, size] = [form.get('photo'), form.get('size')];
  if (text('title').length < 2 || text('title').length > 5) return 'title';
  if (!(photo instanceof File) || photo.type !== 'image/png') return 'photo';
  const isSized = (value: unknown) => Number.isInteger((value as { width?: unknown } | null)?.width);
  try {
    return size === null || isSized(JSON.parse(await new Response(size).text())) ? undefined : 'size';
  } catch {
    return 'size';
  }
}

const run = eachRun();
const types: Record<string, string> = {
  '/token': 'application/x-www-form-urlencoded',
  '/photos': 'multipart/form-data',
};

async function check(find: typeof faultOf): Promise<Report> {
  const url = await run.serve((request, response) => {
    const send = (status: number, body?: object) => {
      const head = body ? { 'Content-Type': 'application/json' } : { 'Content-Length': 0 };
      response.writeHead(status, head).end(body && JSON.stringify(body));
    };
    const path = request.url ?? '';
    const contentType = request.headers['content-type'] ?? '';
    void buffer(request).then(async (body) => {
      if (!(path in types)) send(404);
      else if (request.method !== 'POST') send(405);
      else if (contentType.replace(/;.*/, '') !== types[path]) send(415);
      else {
        const fault = await find(path, contentType, body);
        if (fault === undefined) send(200, { id: 1 });
        else send(400, { fault });
      }
    });
  });
  return reportOn(targetAt(url), { document });
}

test('a server that does not look at a field fails the checks of that field, and passes all others', async () => {
  const report = await check(async (...received) => {
    const fault = await faultOf(...received);
    return fault === 'ttl' || fault === 'size' ? undefined : fault;
  });
  expect(idsOf(report, 'failed')).toEqual(['explored.createToken.body', 'explored.addPhoto.body']);
  expect(idsOf(report, 'not run')).toEqual([]);
  const messages = report.results.flatMap(({ failures }) => failures.map(({ message }) => message));
  expect(messages.filter((message) => !/ with the body (ttl|size)\./.test(message))).toEqual([]);
  expect(messages).toContainEqual(expect.stringMatching(/^createToken .* with the body ttl\.missing: expected 400/));
  expect(messages).toContainEqual(expect.stringMatching(/^addPhoto .* with the body size\./));
});
