import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chartOf } from './chart.ts';
import { describeResult } from './report.ts';
import type { Result } from './result.ts';

/** Writes latest.json, latest.md and latest.svg to a folder, and appends a line to its history. */
export async function writeResult(result: Result, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const { machine, packages, options, targets, summaries } = result;
  const medians = summaries.map(({ server, workload, figures }) => {
    const values = Object.entries(figures).map(([name, { median }]) => [name, Number(median.toPrecision(5))]);
    return { server, workload, ...(Object.fromEntries(values) as Record<string, number>) };
  });
  await writeFile(join(folder, 'latest.json'), `${JSON.stringify(result, null, 2)}\n`);
  await writeFile(join(folder, 'latest.md'), `${describeResult(result)}\n`);
  await writeFile(join(folder, 'latest.svg'), chartOf(result));
  await appendFile(
    join(folder, 'history.jsonl'),
    `${JSON.stringify({ machine, packages, options, targets, medians })}\n`,
  );
}
