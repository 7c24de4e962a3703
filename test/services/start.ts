import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterwards } from '../support/afterwards.ts';
import { until } from '../support/until.ts';

/**
 * Starts a program, which ends after the tests of the file, and waits until a look shows that it listens. The log is kept of one
 * that gets an environment: Squid can open no pipe.
 */
export async function startListening(
  [command = '', ...args]: readonly string[],
  listens: () => Promise<unknown>,
  env?: NodeJS.ProcessEnv,
) {
  const program = spawn(command, args, env ? { env, stdio: ['ignore', 'pipe', 'inherit'] } : { stdio: 'ignore' });
  let log = '';
  program.stdout?.on('data', (chunk: Buffer) => (log += chunk.toString()));
  const ended = once(program, 'close');
  const kill = async () => {
    program.kill('SIGKILL');
    await ended;
  };
  afterwards(kill);
  await until(`${command} listens`, () => {
    if (program.exitCode !== null) throw new Error(`${command} ended before it listened.`);
    return listens().then(
      () => true,
      () => false,
    );
  });
  return { log: () => log, kill };
}
