import { describe, expect, test } from '@jest/globals';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { createHttpClient } from '../../contract/run/http-client.ts';
import type { Connection } from '../../contract/run/model.ts';
import { json, withHttpServer } from '../support/misbehaving-servers.ts';

const text = '{"label":"köder"}';
const codings = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync };

/** The text of a response that is always compressed. */
async function received(coding: keyof typeof codings, accepted: string | undefined, connection?: Connection) {
  let came = '';
  await withHttpServer(
    (_request, response) => response.writeHead(200, { ...json, 'Content-Encoding': coding }).end(codings[coding](text)),
    async (url) => {
      const client = createHttpClient(5, undefined, connection);
      const headers = accepted === undefined ? [] : [['accept-encoding', accepted] as const];
      came = (await client.send(url, { method: 'GET', path: '', headers })).text;
      client.close();
    },
  );
  return came;
}

describe('a compressed response', () => {
  test.each<[keyof typeof codings, string]>([
    ['gzip', 'br;q=0.5, GZIP'],
    ['deflate', 'deflate'],
    ['br', '*'],
  ])('by %s is read if it was asked for: %s', async (coding, accepted) => {
    expect(await received(coding, accepted)).toBe(text);
  });

  test('is read if a header for the gateway asks for it', async () => {
    expect(await received('gzip', undefined, { headers: [['Accept-Encoding', 'gzip']], insecure: false })).toBe(text);
  });

  test('stays as it came if nobody has asked for it', async () => {
    expect(await received('gzip', undefined)).not.toBe(text);
    expect(await received('gzip', 'br')).not.toBe(text);
  });
});
