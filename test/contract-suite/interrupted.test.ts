import { describe, expect, test } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import type http from 'node:http';
import type { Report } from '../../contract/run/model.ts';
import { ContractRun, credentials, lastLine } from '../support/contract.ts';
import { json, withHttpServer } from '../support/misbehaving-servers.ts';

describe('an interrupted run', () => {
  test.each(['SIGINT', 'SIGTERM'] as const)('%s: puts the setting back and reports what has run', async (signal) => {
    let enabled = true;
    let interrupted = false;
    await ContractRun.in(async (run) => {
      const handler: http.RequestListener = (request, response) => {
        let body = '';
        request.on('data', (chunk: Buffer) => (body += chunk.toString()));
        request.on('end', () => {
          if (request.method === 'PUT' && /^\{"enabled": ?(true|false)\}$/.test(body)) enabled = body.includes('true');
          if (!enabled && !interrupted) interrupted = run.child?.kill(signal) ?? false;
          setTimeout(() => response.writeHead(200, json).end(JSON.stringify({ enabled })), 2);
        });
      };
      await withHttpServer(handler, async (url) => {
        const report = run.file('report.json');
        const { exitCode, stdout } = await run.against(
          url,
          ['--run-timeout-seconds', '60', '--json', report],
          credentials,
        );
        expect([exitCode, interrupted, enabled]).toEqual([1, true, true]);
        expect(stdout).toContain(`  the run was interrupted by ${signal}\n`);
        expect(stdout).toMatch(lastLine);
        const { results, conforms } = JSON.parse(await readFile(report, 'utf8')) as Report;
        expect(conforms).toBe(false);
        expect(results.filter(({ outcome }) => outcome === 'failed').length).toBeGreaterThan(0);
        const last = results.filter(({ check }) => check.layer !== 'conformance').at(-1);
        expect(last).toMatchObject({ outcome: 'not run', reason: `the run was interrupted by ${signal}` });
      });
    });
  });
});
