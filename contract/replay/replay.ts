/** Replays every answer that the document describes, with Dredd, against any server. */
import type { CheckResult } from '../run/model.ts';
import type { SessionOptions } from '../run/session.ts';
import { DocumentReplay } from './document-replay.ts';
import { documentedAnswers } from './documented-answers.ts';

export interface ReplayOptions extends SessionOptions {
  /** Leaves Dredd as it comes, which takes an answer for right if it has the fields of an example. */
  readonly stock?: boolean;
}

export interface Replay {
  /** One for each documented answer, as in `getCase.404`. */
  readonly labels: readonly string[];
  /** Resolves to one result for each documented answer, and one for whatever else Dredd has made up. */
  run(onResult: (result: CheckResult) => void): Promise<CheckResult[]>;
}

/** Makes the replay of every documented answer against a target ready. */
export function replayDocument(options: ReplayOptions): Replay {
  return {
    labels: documentedAnswers.map(({ label }) => label),
    run: async (onResult) => {
      const replay = new DocumentReplay(documentedAnswers, options, onResult);
      const { runDredd } = await import('./run-dredd.ts');
      const reason = await runDredd(options.target.credentials.base_url, replay.emitter, replay).then(
        () => 'Dredd has not replayed it',
        (error: unknown) => `Dredd failed: ${error instanceof Error ? error.message : String(error)}`,
      );
      return replay.conclude(reason);
    },
  };
}
