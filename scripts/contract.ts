/** `npm run contract`: checks a server; without --url the project's own, started and operated like any other. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkCommand } from '../contract/cli/check.ts';
import { runProcess } from '../contract/cli/program.ts';
import type { Target } from '../contract/run/model.ts';
import { openRemoteTarget } from '../contract/target/remote-target.ts';
import { freePort } from './free-port.ts';
import { ownServerSettings } from './own-server-settings.ts';

await runProcess(checkCommand('npm run contract --', startOwnServer));

async function startOwnServer(): Promise<Target> {
  const folder = await mkdtemp(join(tmpdir(), 'document-analysis-contract-'));
  const port = await freePort();
  // The server and the operator inherit these settings through the environment.
  Object.assign(process.env, ownServerSettings(folder), { PORT: String(port), NODE_ENV: 'production' });
  const target = await openRemoteTarget({
    url: `http://127.0.0.1:${port}`,
    start: 'node --no-warnings src/main.ts serve',
    operator: 'node --no-warnings scripts/operator.ts',
    provoke429: true,
  });
  const close = async () => {
    await target.close();
    await rm(folder, { recursive: true });
  };
  return { ...target, respondsWithExamples: true, close };
}
