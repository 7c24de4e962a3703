/** `npm run mutants -- --peers`: what other tools catch of the mutants, and which harmless variants they refuse. */
import { createHash } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { noMutant } from '../../contract/mutants/run-mutant.ts';
import { runTasks } from '../../contract/mutants/workers.ts';
import { installPackages } from '../../scripts/install-packages.ts';
import { root, type Peer, type PeerResult, runProgram } from './peer.ts';
import { peers } from './peers.ts';
import { scoreOf, versionOf, lineOf, markdownOf } from './score.ts';
import type { PeerTask } from './worker.ts';

const marker = '<!-- Written by `npm run mutants -- --peers --markdown docs/peers.md`. -->';
const resultsFile = join(root, 'reports/peers.jsonl');

/** What a comparison is to do. */
export interface Comparison {
  /** The names of the tools; none for all. */
  readonly only: readonly string[];
  /** The mutants and harmless variants. */
  readonly servers: readonly string[];
  readonly json?: string;
  readonly markdown?: string;
}

/**
 * Has each tool test each server on which it has no verdict yet in its present version, and tells the scores.
 * @returns whether each tool passes the server as it is, and has come to a verdict on every other
 */
export async function comparePeers({ only, servers, json, markdown }: Comparison): Promise<boolean> {
  const chosen = await availableOf(only);
  const file = json ?? resultsFile;
  const results = await readResults(file);
  const verdicts = results.filter(({ problem }) => problem === undefined);
  const known = new Set(verdicts.map(({ peer, version, server }) => `${peer} ${version} ${server}`));
  const versions = new Map(chosen.map((peer) => [peer.name, versionOf(peer)]));
  const version = ({ peer }: PeerTask) => versions.get(peer) ?? '';
  const tasks = [noMutant.name, ...mixed(servers)]
    .flatMap((server) => chosen.map(({ name: peer }): PeerTask => ({ peer, server })))
    .filter((task) => !known.has(`${task.peer} ${version(task)} ${task.server}`));
  console.log(`${tasks.length} runs, ${known.size} results of earlier runs`);
  let done = 0;
  await runTasks<PeerTask, Omit<PeerResult, keyof PeerTask | 'version'>>(
    new URL('./worker.ts', import.meta.url),
    tasks,
    (task, outcome) => {
      const verdict = 'error' in outcome ? { problem: outcome.error, requests: 0, seconds: 0 } : outcome.result;
      const result = { ...task, version: version(task), ...verdict };
      results.push(result);
      appendFileSync(file, `${JSON.stringify(result)}\n`);
      console.log(`${(done += 1)} of ${tasks.length}: ${told(result)}`);
    },
  );
  const scores = chosen.map((peer) => scoreOf(peer, results));
  console.log(scores.map(lineOf).join('\n'));
  if (markdown !== undefined) {
    const [method = ''] = (await readFile(markdown, 'utf8')).split(marker);
    await writeFile(markdown, `${method}${marker}\n\n${markdownOf(scores)}`);
  }
  return scores.every(({ complaint, withoutVerdict }) => complaint === undefined && withoutVerdict.length === 0);
}

/** What earlier runs have left: JSON, one result a line, so that a run can go on where another stopped. */
async function readResults(file: string): Promise<PeerResult[]> {
  await mkdir(dirname(file), { recursive: true });
  const text = await readFile(file, 'utf8').catch(() => '');
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as PeerResult);
}

/** In an order that has nothing to do with kinds, so that what a stopped run has tested is a fair sample. */
function mixed(servers: readonly string[]): string[] {
  const keyOf = (name: string) => createHash('sha256').update(name).digest('hex');
  return servers.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

/** The tools that are named, with their packages installed, without those that lack what no package brings. */
async function availableOf(names: readonly string[]): Promise<Peer[]> {
  const unknown = names.find((name) => !peers.some((peer) => peer.name === name));
  if (unknown !== undefined)
    throw new Error(`There is no tool ${unknown}; there are ${peers.map(({ name }) => name).join(', ')}`);
  const chosen = peers.filter(({ name }) => names.length === 0 || names.includes(name));
  const folders = chosen.flatMap(({ packages }) =>
    packages.flatMap((path) => /^(.+)\/node_modules\//.exec(path)?.[1] ?? []),
  );
  for (const folder of new Set(folders)) await installPackages(join(root, folder));
  const available: Peer[] = [];
  for (const peer of chosen) {
    const [command, ...args] = peer.needs ?? [];
    const isHere = command === undefined || (await runProgram(command, args, root).catch(() => undefined))?.code === 0;
    if (isHere) available.push(peer);
    else console.log(`not run ${peer.name}: it needs ${command}`);
  }
  return available;
}

function told({ peer, server, complaint, problem, seconds }: PeerResult): string {
  const verdict = problem === undefined ? (complaint ?? 'passes') : `NO VERDICT ${problem}`;
  return `${peer} on ${server} (${seconds.toFixed(1)} s): ${verdict}`;
}
