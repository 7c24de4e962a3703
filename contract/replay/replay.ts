/** Replays every response that the document describes, with Dredd, against any server. */
import type { CheckResult } from '../run/model.ts';
import type { SessionOptions } from '../run/session.ts';
import { DocumentReplay } from './document-replay.ts';
import { ownDocument } from '../document/own-document.ts';
import { replayCases } from './replay-case.ts';

export interface ReplayOptions extends SessionOptions {
  /** Leaves Dredd as it comes, which takes a response for right if it has the fields of an example. */
  readonly stock?: boolean;
}

export interface Replay {
  /** One for each documented response, as in `getCase.404`. */
  readonly labels: readonly string[];
  /** Resolves to one result for each documented response, and one for whatever else Dredd has made up. */
  run(onResult: (result: CheckResult) => void): Promise<CheckResult[]>;
}

/** Makes the replay of every documented response against a target ready. */
export function replayDocument(options: ReplayOptions): Replay {
  const cases = replayCases(options.document ?? ownDocument);
  return {
    labels: cases.map(({ label }) => label),
    run: async (onResult) => {
      const replay = new DocumentReplay(cases, options, onResult);
      const { runDredd } = await import('./run-dredd.ts');
      const reason = await runDredd(options.target.credentials.base_url, replay.emitter, replay).then(
        () => 'Dredd has not replayed it',
        (error: unknown) => `Dredd failed: ${error instanceof Error ? error.message : String(error)}`,
      );
      return replay.conclude(reason);
    },
  };
}
