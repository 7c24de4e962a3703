#!/usr/bin/env node
// @ts-nocheck
import { runCli } from './cli/program.js';

process.exitCode = await runCli(process.argv, {
  environment: process.env,
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  now: () => new Date(),
});
