#!/usr/bin/env node
/**
 * Starts the program. This module and its static imports load on any Node.js version, so that an old one gets a
 * message; the program itself is loaded afterwards.
 */
import { enableCompileCache, saveCompiledCodeSoon } from './runtime/compile-cache.ts';
import { mapStacks } from './runtime/map-stacks.ts';

/** As package.json says under `engines`. */
const [oldestMajor, oldestMinor] = [22, 14];
const misused = 2;

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) void start();
else
  fail(`document-analysis needs Node.js ${oldestMajor}.${oldestMinor} or newer, and this is ${process.versions.node}.`);

async function start(): Promise<void> {
  // What this program writes is for its own user alone: the data holds hashes of secrets.
  process.umask(0o077);
  // A deprecation is for who changes this program. In the log it would be a line that is not JSON.
  process.noDeprecation = true;
  enableCompileCache(process.env);
  mapStacks();
  const program = await import('./cli/program.ts').catch(refuseUnlessBuilt);
  if (!program) return;
  saveCompiledCodeSoon();
  process.exitCode = await program.runCli(process.argv, {
    environment: process.env,
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    now: () => new Date(),
    kill: () => process.kill(process.pid, 'SIGKILL'),
  });
}

function refuseUnlessBuilt(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
  fail(
    `document-analysis is not built or not installed whole: run npm run build, or install it again.\n${error.message}`,
  );
}

function fail(message: string): void {
  process.stderr.write(`error: ${message}\n`);
  process.exitCode = misused;
}
