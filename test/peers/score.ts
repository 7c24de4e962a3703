import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { harmlessVariants } from '../../contract/mutants/harmless.ts';
import { mutantsByKind } from '../../contract/mutants/list/index.ts';
import { noMutant } from '../../contract/mutants/run-mutant.ts';
import { root } from './paths.ts';
import type { Peer } from './peer.ts';
import type { PeerResult } from './result.ts';

/** How a tool did. A server without a verdict counts as passed. */
export interface PeerScore {
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
