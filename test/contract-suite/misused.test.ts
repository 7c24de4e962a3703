import { describe, expect, test } from '@jest/globals';
import type { Socket } from 'node:net';
import { writeFile } from 'node:fs/promises';
import { ContractRun, credentials } from '../support/contract.ts';
import { responding, trickling, withSocketServer } from '../support/misbehaving-servers.ts';

describe('a target that cannot be reached is told in one line, with exit code 3', () => {
  test.each([
    ['nothing listens', 'http://127.0.0.1:1', 'connect ECONNREFUSED 127.0.0.1:1'],
    ['its name is unknown', 'http://target.invalid', 'target.invalid'],
  ])('%s', async (_name, url, reason) => {
    await ContractRun.in(async (run) => {
      const { exitCode, stdout, stderr } = await run.against(url, ['--timeout-seconds', '5']);
      expect([exitCode, stdout]).toEqual([3, '']);
      expect(stderr).toMatch(/^error: the target cannot be reached: GET http:\S+: .*\n$/);
      expect(stderr).toContain(reason);
    });
  });

  test.each<[string, (socket: Socket) => void, string]>([
    ['it hangs', () => undefined, 'no response within 0.5 s'],
    ['it closes connections', (socket) => socket.destroy(), '(the target closed the connection|ECONNRESET)'],
    [
      'it closes connections once it is asked',
      (socket) => socket.once('data', () => socket.end()),
      'the target closed the connection',
    ],
    ['it is not HTTP', (socket) => socket.write('SSH-2.0-OpenSSH_9.2\r\n'), 'the response is not HTTP'],
    ['it switches protocols', responding('HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'), '.+'],
    ['it trickles interim responses', trickling('HTTP/1.1 103 Early Hints\r\n\r\n'), 'no response within 0.5 s'],
    [
      'its head has no end',
      trickling(`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(900)}`),
      'the head of the response is too large',
    ],
  ])('%s', async (_name, serve, reason) => {
    await withSocketServer(serve, (url) =>
      ContractRun.in(async (run) => {
        // Where something comes, it may come late.
        const bound = reason.endsWith('within 0.5 s') ? ['--timeout-seconds', '0.5'] : [];
        const { exitCode, stdout, stderr } = await run.inProcess([...(await run.target(url)), ...bound]);
        expect([exitCode, stdout]).toEqual([3, '']);
        expect(stderr).toMatch(new RegExp(`^error: the target cannot be reached: GET http:\\S+: .*${reason}.*\\n$`));
      }),
    );
  });
});

describe('wrong usage is told in one line, with exit code 2', () => {
  test.each([
    ['not JSON', `{"owner_key": "${credentials.owner_key}"`, 'is not JSON'],
    ['no object', `["${credentials.owner_key}"]`, 'must hold one JSON object'],
    [
      'an unknown field',
      `{"key": "${credentials.owner_key}"}`,
      'has a field key that is unknown; known are base_url, ',
    ],
    ['a secret for a name', `{"${credentials.owner_key}": ""}`, 'has a field that is unknown; known are base_url, '],
    ['no text', '{"owner_key": 12345678901234567890}', 'needs a text of visible ASCII characters in owner_key'],
    ['a line break', `{"owner_key": "${credentials.owner_key}\\n"}`, 'needs a text of visible ASCII characters'],
  ])('a credentials file with %s', async (_name, content, message) => {
    await ContractRun.in(async (run) => {
      const file = run.file('wrong.json');
      await writeFile(file, content);
      const { exitCode, stdout, stderr } = await run.inProcess(['--url', 'http://127.0.0.1:1', '--credentials', file]);
      expect([exitCode, stdout]).toEqual([2, '']);
      expect(stderr).toContain(`error: the credentials file ${file}:1 ${message}`);
      expect(stderr.match(/\n/g)).toHaveLength(1);
      expect(stderr).not.toContain(credentials.owner_key);
    });
  });
});
