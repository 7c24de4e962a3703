import { harmlessVariants } from '../../contract/mutants/harmless.ts';
import { mutantsByKind } from '../../contract/mutants/list/index.ts';
import type { PeerScore } from './score.ts';

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
