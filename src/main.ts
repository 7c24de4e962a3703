#!/usr/bin/env node
import { runCli } from './cli/program.ts';

// What this program writes is for its own user alone: the data holds hashes of secrets.
process.umask(0o077);

process.exitCode = await runCli(process.argv, {
  environment: process.env,
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  now: () => new Date(),
});

// The channel of a worker to its primary process would keep it alive when its work is done.
process.channel?.unref();
