import type { Command } from 'commander';
import { analysisOutcomes, type AnalysisReport } from '../analysis/analyse-next.ts';
import { openAnalysisWorker } from '../analysis/open-worker.ts';
import { recheckOutcomes, type RecheckReport } from '../analysis/recheck.ts';
import { createLogger } from '../runtime/logger.ts';
import { ReportingCommand, type StoreRun } from './command.ts';
import type { CliContext } from './context.ts';
import { OperatorError } from '../domain/errors.ts';
import { count, print } from './output.ts';
import { withProgress } from './progress.ts';
import { killAfter, handleStopSignals } from './stop-signal.ts';

/** The maximum time from a signal to the end of the process. */
const endMilliseconds = 10_000;

type Outcomes = Record<AnalysisReport['outcome'], number>;
type Rechecks = Record<RecheckReport['outcome'], number>;

const about = `
Servers analyse files themselves, unless they were started with --no-analysis. Any number of processes can share the work, on
every machine with the same data directory. If a process dies, another one takes its files within 15 seconds. On SIGINT and
SIGTERM the command has five seconds to finish the files in progress, and returns the others to the queue.`;

export function analyseCommand(context: CliContext): Command {
  const { now, stdout, stderr } = context;
  const examples = ['analyse', 'analyse --watch'];
  return new ReportingCommand(context, 'analyse', 'Analyse the waiting files, then exit.', examples)
    .option('--watch', 'keep running, and analyse files as they are added, until SIGINT or SIGTERM')
    .addHelpText('after', about)
    .onStore(async ({ store, config, options, report }: StoreRun<{ watch?: boolean; json?: boolean }>) => {
      const isFullLog = options.watch || config.logLevel === 'silent';
      const logger = await createLogger(isFullLog ? config.logLevel : 'warn', stderr);
      const worker = openAnalysisWorker(config, { store, logger, now });
      const outcomes = Object.fromEntries(analysisOutcomes.map((outcome) => [outcome, 0])) as Outcomes;
      worker.reports.on('analysed', ({ outcome }) => (outcomes[outcome] += 1));
      const rechecks = Object.fromEntries(recheckOutcomes.map((outcome) => [outcome, 0])) as Rechecks;
      worker.reports.on('asked', ({ outcome }) => (rechecks[outcome] += 1));
      const stop = handleStopSignals(['SIGINT', 'SIGTERM']);
      let stopping: Promise<void> | undefined;
      void stop.received.then(() => {
        stopping = killAfter(context, logger, endMilliseconds)('analysis', worker.stop());
      });
      try {
        if (options.watch) {
          if (!options.json) await print(stdout, `Analysing files of region ${config.region} as they are added\n`);
          worker.watch();
          await stop.received;
        } else {
          const total = await worker.countWaiting();
          await withProgress(stderr, { doing: 'Analysing', nouns: 'files', total, isLong: total > 1 }, (onFile) => {
            let done = 0;
            worker.reports.on('analysed', () => onFile?.((done += 1)));
            return worker.drainQueue();
          });
        }
      } finally {
        await (stopping ?? worker.stop());
        stop.release();
      }
      await report({ outcomes, rechecks }, () => describe(outcomes, rechecks));
      if (!options.watch && stopping && (await worker.countWaiting()) > 0)
        throw new OperatorError('Stopped before all files were analysed. Run it again, or start a server.');
    });
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
