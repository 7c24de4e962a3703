import { runRelease } from './release/release-command.ts';
import { runAsMain } from './script.ts';

const interruption = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const)
  process.on(name, () => {
    interruption.abort(new Error(`The release was interrupted by ${name}.`));
  });

await runAsMain((argv, context) =>
  runRelease(argv, { ...context, now: () => new Date(), signal: interruption.signal }),
);
