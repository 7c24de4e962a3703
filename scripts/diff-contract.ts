import { runDiffContract } from './release/diff-command.js';
import { runAsMain } from './script.js';

await runAsMain(runDiffContract);
