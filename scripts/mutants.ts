/** `npm run mutants`: breaks the project's own server in many ways, and reports which of them the suite catches. */
import { runMutantsCommand } from '../contract/mutants/command.ts';

await runMutantsCommand(new URL('./mutants-worker.ts', import.meta.url));
