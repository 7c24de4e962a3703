import { runDiffContract } from './release/diff-command.js';
import { runAsMain } from './release/script.js';

await runAsMain(runDiffContract);
