import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { comparePeers } from '../peers/compare.ts';
import type { PeerResult } from '../peers/peer.ts';

// The others have packages of their own to install first, or take longer.
const only = ['openapi-backend'];
const servers = ['setting-read-as-text', 'chunked'];
const marker = '<!-- Written by `npm run mutants -- --peers --markdown docs/peers.md`. -->';

describe('the comparison with other tools', () => {
  let folder: string;
  let lines: string[];
  const file = (name: string) => join(folder, name);
  const results = async () =>
    (await readFile(file('peers.jsonl'), 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as PeerResult);

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'document-analysis-peers-'));
    lines = [];
    jest.spyOn(console, 'log').mockImplementation((line) => lines.push(String(line)));
  });

  afterAll(async () => {
    jest.restoreAllMocks();
    await rm(folder, { recursive: true });
  });

  test('tells which servers each tool refuses', async () => {
    await expect(comparePeers({ only, servers, json: file('peers.jsonl') })).resolves.toBe(true);
    const told = (await results()).map(({ server, complaint }) => [server, complaint]);
    expect(Object.fromEntries(told)).toEqual({
      none: undefined,
      chunked: undefined,
      'setting-read-as-text': 'getVerificationSetting: /enabled must be boolean',
    });
    expect(lines.join('\n')).toContain('1 of 1 mutants caught; 0 false alarms of 1; 6 requests');
  });

  test('goes on where it has stopped, without a verdict too', async () => {
    const [first, ...rest] = await results();
    const kept = [...rest, { ...first, problem: 'stopped' }].map((result) => JSON.stringify(result));
    await writeFile(file('peers.jsonl'), `${kept.join('\n')}\n`);
    await writeFile(file('page.md'), `# Page\n\n${marker}\n\nold\n`);
    const comparison = { only, servers, json: file('peers.jsonl'), markdown: file('page.md') };
    await expect(comparePeers(comparison)).resolves.toBe(true);
    expect(lines).toContain('1 runs, 2 results of earlier runs');
    const page = await readFile(file('page.md'), 'utf8');
    expect(page).toMatch(/^# Page\n\n<!--.*-->\n\nA sample: .* at least 2 of \d+ servers\.\n\n\| Tool/);
    expect(page).toContain('| bodies of responses | 1 of 1 |');
    expect(page).not.toContain('old');
  });

  test('names the tools that there are', async () => {
    await expect(comparePeers({ only: ['none'], servers })).rejects.toThrow('there are document-analysis-contract');
  });
});
