import type { Command } from 'commander';
import { analysisOutcomes, type AnalysisReport } from '../analysis/analyse-next.ts';
import { openAnalysisWorker } from '../analysis/open-worker.ts';
import { type RecheckReport, recheckOutcomes } from '../analysis/recheck.ts';
import { createLogger } from '../runtime/logger.ts';
import { reportingCommand } from './arguments.ts';
import type { CliContext } from './context.ts';
import { endInTime } from './end-in-time.ts';
import { CliError } from './errors.ts';
import { printResult, count, print } from './output.ts';
import { withProgress } from './progress.ts';
import { takeStopSignals } from './stop-signal.ts';
import { withStore } from './with-store.ts';

/** How long the process takes at most to its end after a signal. */
const endMilliseconds = 10_000;

type Outcomes = Record<AnalysisReport['outcome'], number>;
type Rechecks = Record<RecheckReport['outcome'], number>;

const about = `
A server analyses by itself, unless it was started with --no-analysis. Any number of processes can analyse beside it, on
any machine that has the same data directory: each file is analysed by one of them. A file whose process dies is taken up
again within 15 seconds. SIGINT and SIGTERM let the files in hand come to their end for five seconds, then give them back.`;

/** Analyses the files that wait, and with `--watch` those that come. */
export function analyseCommand(context: CliContext): Command {
  return reportingCommand('analyse', 'Analyse the files that wait, and end when none does.', [
    'analyse',
    'analyse --watch',
  ])
    .option('--watch', 'go on with the files that come, until SIGINT or SIGTERM')
    .addHelpText('after', about)
    .action((options: { watch?: boolean; json?: boolean }, command: Command) =>
      withStore(context, command, async (store, config) => {
        const { now, stdout, stderr } = context;
        const logger = await createLogger(
          options.watch || config.logLevel === 'silent' ? config.logLevel : 'warn',
          stderr,
        );
        const worker = openAnalysisWorker(config, { store, logger, now });
        const outcomes = Object.fromEntries(analysisOutcomes.map((outcome) => [outcome, 0])) as Outcomes;
        worker.onReport(({ outcome }) => (outcomes[outcome] += 1));
        const rechecks = Object.fromEntries(recheckOutcomes.map((outcome) => [outcome, 0])) as Rechecks;
        worker.evidence.onReport(({ outcome }) => (rechecks[outcome] += 1));
        const stop = takeStopSignals(['SIGINT', 'SIGTERM']);
        let stopping: Promise<void> | undefined;
        void stop.given.then(() => {
          stopping = endInTime(context, logger, endMilliseconds)('analysis', worker.stop());
        });
        try {
          if (options.watch) {
            if (!options.json) await print(stdout, `Analysing the files of region ${config.region} as they come\n`);
            worker.watch();
            await stop.given;
          } else {
            const total = await worker.countWaiting();
            await withProgress(stderr, { doing: 'Analysing', nouns: 'files', total, isLong: total > 1 }, (onFile) => {
              let done = 0;
              worker.onReport(() => onFile?.((done += 1)));
              return worker.drainQueue();
            });
          }
        } finally {
          await (stopping ?? worker.stop());
          stop.release();
        }
        await printResult(context, options, { outcomes, rechecks }, () => describe(outcomes, rechecks));
        if (!options.watch && stopping && (await worker.countWaiting()) > 0)
          throw new CliError('It was stopped before all files were analysed. Run it again, or start a server.');
      }),
    );
}

function describe(outcomes: Outcomes, { complete, postponed, given_up: givenUp }: Rechecks): string {
  const analysed = describeAnalyses(outcomes);
  if (complete + postponed + givenUp === 0) return analysed;
  return `${analysed}\nAsked registries again: ${complete} complete, ${postponed} postponed, ${givenUp} given up.`;
}

function describeAnalyses({ complete, from_cache: fromCache, failed, lost, given_back: givenBack }: Outcomes): string {
  const ended = complete + fromCache + failed;
  const left = lost + givenBack;
  const analysed =
    ended === 0
      ? 'No file was analysed'
      : `Analysed ${count(ended, 'file')}: ${complete} complete, ${fromCache} from the cache, ${failed} failed`;
  return `${analysed}${left === 0 ? '' : `; ${left} left to other workers`}.`;
}
