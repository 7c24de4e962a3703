/** Runs the suite on the library server, as it is or with a fault. `node run.ts --seeds 5` and `node run.ts` print tables. */
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { otherEntry, schemeEntry } from '../../../contract/dimensions/credential-scheme.ts';
import { withGivenValues } from '../../../contract/cli/configuration.ts';
import { loadDocument } from '../../../contract/document/index.ts';
import type { ApiDocument } from '../../../contract/document/model.ts';
import type { Credentials, Report } from '../../../contract/run/model.ts';
import { runContract } from '../../../contract/run/run.ts';
import { type LibraryFault, libraryFaults } from './mutants.ts';
import { createLibraryServer, given, tokens } from './server.ts';

const [reader = '', otherReader = ''] = tokens.reader;
const [manager = '', otherManager = ''] = tokens.manager;
const written = await loadDocument(fileURLToPath(new URL('openapi.yaml', import.meta.url)));
export const library = withGivenValues(written, {
  values: { '*': { path: given } },
  security: { reader, manager },
  fail: (place, fault) => {
    throw new Error(`${place.join('.')} ${fault}`);
  },
});

const secrets = {
  ...{ [schemeEntry('reader')]: reader, [schemeEntry('manager')]: manager },
  ...{ [otherEntry(schemeEntry('reader'))]: otherReader, [otherEntry(schemeEntry('manager'))]: otherManager },
};

interface Options {
  readonly document?: ApiDocument;
  readonly seed?: number;
  readonly only?: readonly string[];
}

/** The report on a server, which is closed then; by default with the library's document. */
export async function checkServer(server: Server, options: Options = {}): Promise<Report> {
  const { document = library, seed = 1, only = [] } = options;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const credentials = { base_url: url, case_base_url: url, ...secrets } as Credentials;
  const target = { credentials, mayExhaustLimits: false, close: () => Promise.resolve() };
  const selection = { only, skip: [] };
  const given = { document, seed, selection, timeoutSeconds: 5, requireAll: false, allowExtraFields: false };
  const ignore = () => undefined;
  try {
    return await runContract(target, given, { onResult: ignore, onNotice: ignore });
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/** The report on the library server, and how many requests it has got. */
export async function checkLibrary(fault?: LibraryFault, options: Options = {}) {
  let requests = 0;
  const report = await checkServer(
    createLibraryServer(fault, () => (requests += 1)),
    options,
  );
  return { ...report, requests };
}

/** The ids of the failed checks. */
export function failedOf({ results }: Pick<Report, 'results'>): string[] {
  return results.filter(({ outcome }) => outcome === 'failed').map(({ check }) => check.id);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [option, ...values] = process.argv.slice(2);
  for (let seed = 1; seed <= (option === '--seeds' ? Number(values[0]) : 1); seed += 1) {
    const report = await checkLibrary(undefined, { seed });
    const { durationSeconds, requests } = report;
    const told = report.results.filter(({ outcome }) => outcome === 'failed');
    console.log(
      `conforming, seed ${seed}: ${told.length} failed, ${requests} requests, ${durationSeconds.toFixed(1)} s`,
    );
    for (const { check, failures } of told) console.log(`  ${check.id}: ${failures[0]?.message ?? ''}`);
  }
  const chosen = libraryFaults.filter(([id]) => option !== '--seeds' && (values.length === 0 || values.includes(id)));
  let caught = 0;
  for (const [id, kind, what] of chosen) {
    const failed = failedOf(await checkLibrary(id));
    caught += Number(failed.length > 0);
    console.log(`${failed.length > 0 ? 'caught' : 'MISSED'}  ${kind.padEnd(8)} ${id.padEnd(24)} ${failed[0] ?? what}`);
  }
  if (chosen.length > 0) console.log(`${caught} of ${chosen.length} caught`);
}
