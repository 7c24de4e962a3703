/** The operator of the project's own server, which opens the server's store in `DATA_DIR`: see docs/operator.md. */
import { createInterface } from 'node:readline';
import { JSONRPCServer } from 'json-rpc-2.0';
import { readConfig } from '../src/runtime/config.ts';
import { openSqliteStore } from '../src/store/sqlite/open.ts';
import { addDemoData, storeOperator } from './store-operator.ts';

type Whose = { organisation: 'own' | 'other' };
type Given = { secret: string; is_given: boolean };
const cachedFor = ({ organisation }: Whose) => (organisation === 'other' ? 'another' : 'of owner_key');

const config = readConfig(process.env);
const store = openSqliteStore(config.databasePath);
const operator = storeOperator(store, config.databasePath);
let heal: (() => Promise<void>) | undefined;

const methods: Record<string, (params: never) => unknown> = {
  setup: async () => {
    const credentials = await addDemoData(config, store);
    return { methods: Object.keys(methods), credentials };
  },
  listAuditEntries: ({ limit }: { limit?: number }) => operator.listAuditEntries(limit),
  saveCachedResult: (whose: Whose) => operator.saveCachedResults(cachedFor(whose)),
  countCachedResults: (whose: Whose) => operator.countCachedResults(cachedFor(whose)),
  identify: ({ secret }: { secret: string }) => operator.identify(secret),
  readCase: ({ case_id: id }: { case_id: string }) => operator.readCase(id),
  createCase: () => operator.createCase(),
  importCase: ({ case: given }: { case: object }) => operator.importCase(given),
  lockCase: ({ case_id: id }: { case_id: string }) => operator.lockCase(id),
  revokeCredential: ({ secret }: { secret: string }) => operator.revokeCredential(secret),
  setFeature: ({ secret, feature, is_given: isGiven }: Given & { feature: string }) =>
    operator.setFeature(secret, feature, isGiven),
  setPermission: ({ secret, permission, is_given: isGiven }: Given & { permission: string }) =>
    operator.setPermission(secret, permission, isGiven),
  breakStore: async () => void (heal = await operator.breakStore()),
  disconnectStore: async () => void (heal = await operator.disconnectStore()),
  healStore: () => heal?.(),
};

const server = new JSONRPCServer();
for (const [name, method] of Object.entries(methods))
  server.addMethod(name, async (params) => (await method(params as never)) ?? null);
for await (const line of createInterface(process.stdin)) {
  const response = await server.receiveJSON(line);
  if (response) process.stdout.write(`${JSON.stringify(response)}\n`);
}
await store.close();
