import { setTimeout as sleep } from 'node:timers/promises';
import { UnusableTargetError } from '../run/errors.ts';
import { ShellCommand } from './shell-command.ts';
import { createHttpClient } from '../run/http-client.ts';
import type { Connection } from '../run/model.ts';

const startSeconds = 60;
const stopSeconds = 10;
/** Responses of a gateway without a running server behind it. */
const gatewayStatuses = [502, 503, 504];
const shownOfOutput = 1_000;

/**
 * Starts a server with a command and waits until its address responds. To close it sends SIGTERM, and SIGKILL ten seconds
 * later.
 * @throws {UnusableTargetError} if another server already responds there, or if the server exits or does not respond
 *   within a minute; the message ends with the server's output
 */
export async function startServer(command: string, url: string, connection?: Connection) {
  const client = createHttpClient(1, undefined, connection);
  const statusNow = () =>
    client.send(url, { method: 'GET', path: '' }).then(
      ({ status }) => status,
      () => undefined,
    );
  const status = await statusNow();
  if (status !== undefined && !gatewayStatuses.includes(status)) {
    client.close();
    throw new UnusableTargetError(`a server responds at ${url} already, so that --start cannot start one there`);
  }
  const shell = new ShellCommand(command);
  let output = '';
  for (const stream of [shell.child.stdout, shell.child.stderr])
    stream.on('data', (chunk: Buffer) => (output = (output + chunk.toString()).slice(-shownOfOutput)));
  const close = () => shell.end('SIGTERM', stopSeconds);

  const deadline = performance.now() + startSeconds * 1000;
  while ((await statusNow()) === undefined) {
    const reason = shell.hasEnded
      ? 'ended before it responded'
      : `did not respond at ${url} within ${startSeconds} seconds`;
    if (shell.hasEnded || performance.now() > deadline) {
      client.close();
      await close();
      const printed = output === '' ? '' : `; it printed:\n${output.trim()}`;
      throw new UnusableTargetError(`the server of --start ${reason}${printed}`);
    }
    await sleep(100);
  }
  // An idle connection would delay the shutdown of the server.
  client.close();
  return { close };
}
