import { runContract } from '../../contract/run/run.ts';
import type { Peer } from './peer.ts';

/** The contract suite of this project, in the order in which a user runs it, until its first failure. */
export const suite: Peer = {
  name: 'document-analysis-contract',
  title: 'document-analysis-contract check',
  packages: ['contract'],
  written: ['contract/own-api'],
  judge: async (target) => {
    const caught = new AbortController();
    let first: string | undefined;
    const fail = (id: string) => {
      first ??= id;
      caught.abort(new Error('a check has failed'));
    };
    const options = { seed: 1, timeoutSeconds: 5, runTimeoutSeconds: 220, signal: caught.signal };
    const { problems } = await runContract(
      { ...target, respondsWithExamples: false },
      { ...options, allowExtraFields: false, requireAll: false, stopAtFirstFailure: true },
      {
        onResult: ({ outcome, check }) => {
          if (outcome === 'failed') fail(check.id);
        },
        onViolation: fail,
        onNotice: () => undefined,
      },
    );
    // A run that has not come to its end has not passed.
    if (first === undefined && problems.length > 0) throw new Error(problems.join('; '));
    return first;
  },
};
