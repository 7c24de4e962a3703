import { describe, expect, test } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import type http from 'node:http';
import { ContractRun } from '../support/contract.ts';
import { json, withHttpServer } from '../support/misbehaving-servers.ts';

const secrets = {
  owner_key: 'dak_uk_Zq8/vN+3xT=7Lw!2',
  member_key: 'dak_uk_Rk5%41m&Yb@9Hs#6',
  viewer_key: 'dak_uk_Ft4$Pc^1Gd*0Je(8',
  access_token: 'dat_uk_Wm6"Ux\\2Ck<3Ob>5',
};
const shortestTold = 14;

/** Responds with everything that it was sent, as it is and in other forms. */
const echo: http.RequestListener = (request, response) => {
  let body = '';
  request.on('data', (chunk: Buffer) => (body += chunk.toString()));
  request.on('end', () => {
    const text = [request.url, ...request.rawHeaders, body].join(' ');
    const forms = ['base64', 'base64url', 'hex'] as const;
    const told = {
      enabled: text,
      [text]: [encodeURIComponent(text), text.toUpperCase(), ...forms.map((form) => Buffer.from(text).toString(form))],
      ...Object.fromEntries(
        Object.values(secrets).map((secret) => [secret, Buffer.from(`:${secret}`).toString('base64')]),
      ),
    };
    response.writeHead(200, { ...json, RateLimit: encodeURIComponent(text).slice(0, 2000) }).end(JSON.stringify(told));
  });
};

/** The text with whatever it may hide: escapes undone, and all that may be base64 or hex decoded. */
function revealed(text: string): string {
  const unescaped = text
    .replace(/&quot;/g, '"')
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&#39;|&apos;/g, "'")
    .replace(/&amp;/g, '&');
  const unslashed = unescaped.replace(/\\(.)/g, '$1');
  const decoded = [...unescaped.matchAll(/[\w+/-]{16,}/g)].flatMap(([run]) => [
    ...[0, 1, 2, 3].map((offset) => Buffer.from(run.slice(offset), 'base64').toString('latin1')),
    ...[0, 1].map((offset) => Buffer.from(run.slice(offset), 'hex').toString('latin1')),
  ]);
  const percent = unescaped.replace(/%([0-9a-f]{2})/gi, (_all, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  return [text, unescaped, unslashed, percent, percent.replace(/\\(.)/g, '$1'), ...decoded].join('\n').toLowerCase();
}

describe('secrets', () => {
  test('are in nothing that a run writes, whatever the target sends back', async () => {
    await withHttpServer(echo, (url) =>
      ContractRun.in(async (run) => {
        const forms = ['junit', 'json', 'html', 'sarif', 'markdown'];
        const files = Object.fromEntries(forms.map((form) => [form, run.file(form)]));
        const args = Object.entries(files).flatMap(([form, file]) => [`--${form}`, file]);
        const known = { ...secrets, case_id: '7f000000-0000-4000-8000-000000000001' };
        const { exitCode, stdout, stderr } = await run.against(url, args, known);
        expect(exitCode).toBe(1);
        const reports = await Promise.all(Object.values(files).map((file) => readFile(file, 'utf8')));
        for (const output of [stdout, stderr, ...reports]) {
          const text = revealed(output);
          for (const secret of Object.values(secrets))
            for (let at = 0; at + shortestTold <= secret.length; at += 1)
              expect(text.includes(secret.slice(at, at + shortestTold).toLowerCase())).toBe(false);
        }
        for (const output of [stdout, ...reports]) {
          expect(output).toContain('$OWNER_KEY');
          expect(output).toContain('[part of OWNER_KEY]');
        }
        expect(revealed(`x ${Buffer.from(secrets.owner_key).toString('base64')}`)).toContain('zq8/vn+3xt=7lw!2');
      }),
    );
  });
});
