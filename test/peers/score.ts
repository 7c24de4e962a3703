import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { harmlessVariants } from '../../contract/mutants/harmless.ts';
import { mutantsByKind } from '../../contract/mutants/list/index.ts';
import { noMutant } from '../../contract/mutants/run-mutant.ts';
import { root, type Peer, type PeerResult } from './peer.ts';

/** How a tool did. A server without a verdict counts as passed. */
interface PeerScore {
  readonly peer: Peer;
  readonly version: string;
  /** Of mutants: how many were tested, and how many of them it complained of, by their kind. */
  readonly kinds: readonly (readonly [kind: string, tested: number, caught: number])[];
  readonly harmless: number;
  readonly falseAlarms: readonly PeerResult[];
  /** What it says of the server as it is. */
  readonly complaint: string | undefined;
  readonly withoutVerdict: readonly PeerResult[];
  /** For the server as it is. */
  readonly requests: number;
  /** The median of the servers that it passes. */
  readonly seconds: number;
  readonly lines: number;
}

export function scoreOf(peer: Peer, all: readonly PeerResult[]): PeerScore {
  const version = versionOf(peer);
  const results = new Map(
    all
      .filter((result) => result.peer === peer.name && result.version === version)
      .map((result) => [result.server, result]),
  );
  const of = (servers: readonly { name: string }[]) => servers.flatMap(({ name }) => results.get(name) ?? []);
  const caught = (each: readonly PeerResult[]) => each.filter(({ complaint }) => complaint !== undefined);
  const harmless = of(harmlessVariants);
  const [plain] = of([noMutant]);
  const passed = [...results.values()].filter((each) => each.complaint === undefined && each.problem === undefined);
  return {
    peer,
    version,
    kinds: Object.entries(mutantsByKind).map(([kind, mutants]) => {
      const tested = of(mutants);
      return [kind, tested.length, caught(tested).length];
    }),
    harmless: harmless.length,
    falseAlarms: caught(harmless),
    complaint: plain?.complaint ?? plain?.problem,
    withoutVerdict: [...results.values()].filter(({ problem }) => problem !== undefined),
    requests: plain?.requests ?? 0,
    seconds: median(passed.map(({ seconds }) => seconds)),
    lines: peer.written.reduce((sum, path) => sum + linesOf(join(root, path)), 0),
  };
}

/** The versions of its packages. */
export function versionOf({ packages }: Peer): string {
  return packages
    .map((folder) => JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as { version: string })
    .map(({ version }) => version)
    .join(' and ');
}

function linesOf(path: string): number {
  if (statSync(path).isDirectory()) return readdirSync(path).reduce((sum, name) => sum + linesOf(join(path, name)), 0);
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '').length;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);
const tested = ({ kinds }: PeerScore) => sum(kinds.map(([, count]) => count));
const caught = ({ kinds }: PeerScore) => sum(kinds.map(([, , count]) => count));

/** How a tool did, in one line. */
export function lineOf(score: PeerScore): string {
  const { peer, version, harmless, falseAlarms, requests, seconds, lines, complaint, withoutVerdict } = score;
  return [
    `${peer.name} ${version}: ${caught(score)} of ${tested(score)} mutants caught`,
    `${falseAlarms.length} false alarms of ${harmless}`,
    `${requests} requests, ${seconds.toFixed(1)} s, ${lines} lines written`,
    ...(withoutVerdict.length > 0 ? [`${withoutVerdict.length} without a verdict`] : []),
    ...(complaint === undefined ? [] : [`COMPLAINS OF THE SERVER AS IT IS: ${complaint}`]),
  ].join('; ');
}

/** The tables of the page. */
export function markdownOf(scores: readonly PeerScore[]): string {
  const kinds = scores[0]?.kinds.map(([kind]) => kind) ?? [];
  const count = ({ kinds: all }: PeerScore, kind: string) => {
    const [, size = 0, found = 0] = all.find(([name]) => name === kind) ?? [];
    return size === 0 ? '-' : `${found} of ${size}`;
  };
  const run = kinds.filter((kind) => scores.some((score) => count(score, kind) !== '-'));
  const all = Object.values(mutantsByKind).flat().length + harmlessVariants.length;
  const least = Math.min(...scores.map((score) => tested(score) + score.harmless));
  return [
    least < all ? `A sample: each tool has tested at least ${least} of ${all} servers.\n` : `All ${all} servers.\n`,
    '| Tool | Version | Mutants caught | False alarms | Requests | Seconds | Lines written for this API |',
    '|---|---|---|---|---|---|---|',
    ...scores.map((score) => {
      const { peer, version, harmless, falseAlarms, requests, seconds, lines } = score;
      const cells = [`${caught(score)} of ${tested(score)}`, `${falseAlarms.length} of ${harmless}`];
      return `| ${[peer.title, version, ...cells, requests, seconds.toFixed(1), lines].join(' | ')} |`;
    }),
    '',
    '### By kind of mutant',
    '',
    `| Kind | ${scores.map(({ peer }) => peer.name).join(' | ')} |`,
    `|---|${'---|'.repeat(scores.length)}`,
    ...run.map((kind) => `| ${[kind, ...scores.map((score) => count(score, kind))].join(' | ')} |`),
    '',
    '### False alarms',
    '',
    ...scores.map(({ peer, falseAlarms }) => {
      const names = falseAlarms.map(({ server }) => `\`${server}\``).join(', ');
      return `- ${peer.name}: ${names || 'none'}`;
    }),
    ...withoutVerdictLines(scores),
    '',
  ].join('\n');
}

function withoutVerdictLines(scores: readonly PeerScore[]): string[] {
  const some = scores.filter(({ withoutVerdict }) => withoutVerdict.length > 0);
  if (some.length === 0) return [];
  return [
    '\n### Without a verdict\n',
    ...some.map(({ peer, withoutVerdict }) => {
      const names = withoutVerdict.map(({ server }) => `\`${server}\``).join(', ');
      return `- ${peer.name}: ${names}`;
    }),
  ];
}
