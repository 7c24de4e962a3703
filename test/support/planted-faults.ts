/** Servers that break one promise of their documents, and the relations that find it. */
import { expect, test } from '@jest/globals';
import type { ApiDocument } from '../../contract/document/index.ts';
import type { Credentials } from '../../contract/run/model.ts';
import { idsOf, reportOn, targetAt } from './contract.ts';
import { serveHttp } from './misbehaving-servers.ts';
import { type Behaviour, resourceServer } from './resource-server.ts';

/**
 * A server in words, what it does otherwise than the right one, and the relations that must fail, as in `addNote.created`. If there are
 * none, all must hold.
 */
type Fault<Ways> = readonly [title: string, wrong: Partial<Ways>, failed: readonly string[]];

/**
 * Tests that a server of an API conforms, and that each fault is found.
 * @param right how the server does what the faulty ones do otherwise
 */
export function testFaults<F extends object, Ways extends object>(
  api: ApiDocument,
  right: Ways,
  behaviour: (ways: Ways) => Behaviour<F>,
  faults: readonly Fault<Ways>[],
  secrets: Partial<Credentials> = {},
): void {
  test.each<Fault<Ways>>([['conforms', {}, []], ...faults])(
    `a server of ${api.title} that %s`,
    async (_title, wrong, failed) => {
      const url = await serveHttp(resourceServer(api, behaviour({ ...right, ...wrong })));
      const ids = failed.map((id) =>
        /^(explored|conformance)/.test(id) ? id : `generated.${id.replace('.', '.relation.')}`,
      );
      const selection = { only: ids.length > 0 ? ids : ['generated.*', 'replay.*.2*'], skip: [] };
      const report = await reportOn(targetAt(url, secrets), { document: api, selection });
      expect(idsOf(report, 'failed')).toEqual(ids);
    },
  );
}
