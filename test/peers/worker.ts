/** A process that has tools test servers, one after the other. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Variant } from '../../contract/mutants/mutant.ts';
import { withMutant } from '../../contract/mutants/run-mutant.ts';
import { serverNamed } from '../../contract/mutants/workers.ts';
import { startOwnTarget } from '../../scripts/own-target.ts';
import { peers } from './peers.ts';
import type { PeerResult } from './peer.ts';

/** A tool, and the server that it is to test. */
export type PeerTask = Pick<PeerResult, 'peer' | 'server'>;

type Judged = Pick<PeerResult, 'complaint' | 'problem' | 'requests' | 'seconds'>;

// The programs that it runs end with it: see `endWithThisProcess`.
process.once('SIGTERM', () => process.exit(143));

process.on('message', ({ peer, server }: PeerTask) => {
  judge(peer, serverNamed(server)).then(
    (result) => process.send?.({ result }),
    (error: unknown) => process.send?.({ error: String(error) }),
  );
});

async function judge(name: string, mutant: Variant): Promise<Judged> {
  const peer = peers.find((each) => each.name === name);
  if (!peer) throw new Error(`There is no tool ${name}`);
  let requests = 0;
  const counted: Variant = {
    ...mutant,
    start: (server) => {
      const handler = mutant.start(server);
      return (request) => {
        requests += 1;
        return handler(request);
      };
    },
  };
  const folder = await mkdtemp(join(tmpdir(), 'document-analysis-peer-'));
  try {
    return await withMutant(counted, startOwnTarget, async (target) => {
      const startedAt = performance.now();
      const verdict = await peer.judge(target, folder).then(
        (complaint) => ({
          ...(complaint !== undefined && { complaint: withoutSecrets(complaint, target.credentials) }),
        }),
        (error: unknown) => ({ problem: withoutSecrets(String(error), target.credentials) }),
      );
      return { ...verdict, requests, seconds: (performance.now() - startedAt) / 1000 };
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** One line of a text; the addresses and secrets of one run tell a reader nothing. */
function withoutSecrets(text: string, credentials: object): string {
  const given = Object.values(credentials).filter((value) => typeof value === 'string' && value.length > 8) as string[];
  return given.reduce((told, value) => told.replaceAll(value, '...'), text.replace(/\s+/g, ' ')).slice(0, 200);
}
