/** Replays every documented response with Dredd; plan/provoked.ts does so without it. */
import { fileURLToPath } from 'node:url';
import type { CheckResult } from '../run/model.ts';
import { withContainedIdentifiers } from '../run/reach-target.ts';
import type { ReplayOptions } from './replayed-response.ts';
import { DocumentReplay } from './document-replay.ts';
import { ownDocument } from '../document/own-document.ts';
import { replayCases } from '../plan/provoked.ts';

const ownDocumentFile = fileURLToPath(new URL('../generated/openapi.json', import.meta.url));

export interface Replay {
  /** One for each documented response, such as `getCase.404`. */
  readonly labels: readonly string[];
  /** Resolves to a result for each documented response, and one for any other transactions that Dredd invented. */
  run(onResult: (result: CheckResult) => void): Promise<CheckResult[]>;
}

/** Prepares the replay of every documented response against a target. */
export function replayDocument(options: ReplayOptions): Replay {
  const cases = replayCases(options.document ?? ownDocument);
  return {
    labels: cases.map(({ label }) => label),
    run: async (onResult) => {
      const replay = new DocumentReplay(cases, await withContainedIdentifiers(options), onResult);
      const { documentFile = ownDocumentFile, target } = options;
      const dredd = await import('./run-dredd.ts').catch((error: unknown) => {
        if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
      });
      if (!dredd) return replay.leave('Dredd is not installed: npm install dredd@14.1.0');
      const reason = await dredd.runDredd(documentFile, target.credentials.base_url, replay.emitter, replay).then(
        () => 'Dredd has not replayed it',
        (error: unknown) => `Dredd failed: ${error instanceof Error ? error.message : String(error)}`,
      );
      return replay.conclude(reason);
    },
  };
}
