/** The process that fuzzes one target: what it takes may end it, or never let it go. */
import { writeFileSync } from 'node:fs';
import { provideGlobals } from '../jest/provide-globals.ts';
import { readCorpus, writeCorpus } from './corpus.ts';
import { Fuzzer, type FuzzProgress } from './fuzz-target.ts';
import { openTarget } from './targets/index.ts';

/** What the process is told to do. */
export interface FuzzOrder {
  readonly target: string;
  readonly seconds: number;
  readonly seed: number;
  /** Whether the corpus in the repository is written anew. */
  readonly keep: boolean;
  /** Where each input is written before it runs. */
  readonly inputFile: string;
}

/** What it tells: how far it is, from time to time; at last also the fault, or that there is none. */
export interface FuzzReport extends FuzzProgress {
  readonly ended: boolean;
  readonly fault?: string | undefined;
}

const reportMilliseconds = 500;

// Targets use what the tests share.
provideGlobals();

process.once('message', (order: FuzzOrder) => void obey(order));
// Nobody is there to be told.
process.once('disconnect', () => process.exit());

async function obey({ target: name, seconds, seed, keep, inputFile }: FuzzOrder): Promise<void> {
  const target = await openTarget(name);
  let reported = 0;
  const fuzzer = new Fuzzer(target, (input, progress) => {
    writeFileSync(inputFile, input);
    if (performance.now() - reported < reportMilliseconds) return;
    reported = performance.now();
    process.send?.({ ...progress(), ended: false } satisfies FuzzReport);
  });
  const { corpusInputs, fault, ...progress } = await fuzzer.run(seconds, seed, await readCorpus(name));
  if (fault) writeFileSync(inputFile, fault.input);
  else if (keep) await writeCorpus(name, corpusInputs);
  await target.close();
  process.send?.({ ...progress, ended: true, fault: fault?.message } satisfies FuzzReport, () => process.exit());
}
