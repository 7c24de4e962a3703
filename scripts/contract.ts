/** `npm run contract`: checks a server; without --url the project's own, which is started for it. */
import { checkCommand } from '../contract/cli/check.ts';
import { runProcess } from '../contract/cli/run-process.ts';

await runProcess(checkCommand('npm run contract --', async () => (await import('./own-target.ts')).startOwnTarget()));
