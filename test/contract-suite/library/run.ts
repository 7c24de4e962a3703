/** Runs the suite on the library server, as it is or with a fault. */
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
import { createLibraryServer, given, type LibraryFault, tokens } from './server.ts';

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
