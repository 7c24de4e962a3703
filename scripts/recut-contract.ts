import { runRecut } from './release/recut-command.ts';
import { runAsMain } from './script.ts';

await runAsMain(runRecut);
