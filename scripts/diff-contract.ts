import { runDiffContract } from './release/diff-command.ts';
import { runAsMain } from './script.ts';

await runAsMain(runDiffContract);
