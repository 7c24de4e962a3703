import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { baseUrlOf } from '../cli/options.ts';
import { credentialsSchema, faultOf, fileFault, readValidated } from '../cli/validated-file.ts';
import { type OpenedOperator, openOperator, OperatorError } from '../operator/open-operator.ts';
import type { Connection, CredentialName, Credentials, Target } from '../run/model.ts';
import { UnusableTargetError, UsageError } from '../run/errors.ts';
import { gatewayStatuses } from '../run/reach-target.ts';
import { ShellCommand } from './shell-command.ts';
import { createHttpClient } from '../run/http-client.ts';

/** The options of the command that name a target and how to connect to it. */
export interface RemoteOptions {
  readonly url: string;
  readonly caseUrl?: string | undefined;
  /** A file as printed by `document-analysis demo --json`; checks that need a missing entry are not run. */
  readonly credentials?: string;
  /** The URL or the command of an operator, which may provide further credentials. */
  readonly operator?: string;
  readonly start?: string;
  readonly provoke429?: boolean;
  /** Sent with every request, as `Name: value`. */
  readonly header?: readonly string[];
  readonly ca?: string;
  readonly insecure?: boolean;
}

/** Headers that the suite or HTTP itself sets, and options cannot. */
const setAnyway = /^(host|connection|content-length|content-type|transfer-encoding|expect|upgrade)$/i;

/**
 * Opens the target at an address, and starts its server if there is a command for it.
 * @param credentialHeaders the headers in which checks send credentials, in lower case
 * @throws {UsageError} if a URL, a header, a file or the credentials are unusable
 * @throws {UnusableTargetError} if the server cannot be started, or the operator fails
 */
export async function openRemoteTarget(
  options: RemoteOptions,
  credentialHeaders: readonly string[] = [],
): Promise<Target> {
  const baseUrl = baseUrlOf(options.url, '--url');
  const caseBaseUrl = options.caseUrl === undefined ? baseUrl : baseUrlOf(options.caseUrl, '--case-url');
  const connection = await connectionOf(options, credentialHeaders);
  const { credentials: file } = options;
  const read = file === undefined ? undefined : await readValidated('the credentials file', file, credentialsSchema);
  const server = options.start === undefined ? undefined : await startServer(options.start, baseUrl, connection);
  let opened: OpenedOperator | undefined;
  let credentials: Partial<Credentials>;
  try {
    opened = options.operator === undefined ? undefined : await openOperator(options.operator);
    const ofOperator: Named = opened?.credentials ?? {};
    const fault = faultOf(ofOperator, credentialsSchema);
    if (fault !== undefined) throw new UsageError(`the operator ${fault}`);
    credentials = { ...ofOperator, ...(read?.value as Named | undefined) };
  } catch (error) {
    await closeAll(opened, server);
    throw error instanceof OperatorError ? new UnusableTargetError(`the operator failed: ${error.message}`) : error;
  }
  return {
    credentials: { ...credentials, base_url: baseUrl, case_base_url: caseBaseUrl, ...(connection && { connection }) },
    mayExhaustLimits: options.provoke429 === true,
    ...(opened && { operator: opened.operator }),
    close: () => closeAll(opened, server),
  };
}

async function connectionOf(
  { header: texts = [], ca: file, insecure = false }: RemoteOptions,
  credentialHeaders: readonly string[],
): Promise<Connection | undefined> {
  const headers = texts.map((text) => headerOf(text, credentialHeaders));
  if (headers.length === 0 && file === undefined && !insecure) return undefined;
  return { headers, ...(file !== undefined && { ca: { file, pem: await readCertificates(file) } }), insecure };
}

/** Messages do not repeat the value, which may be secret. */
function headerOf(text: string, credentialHeaders: readonly string[]): [name: string, value: string] {
  const [, name = '', value = ''] = /^([^:]*): ?(.*)$/s.exec(text) ?? [];
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name) || !/^[\x20-\x7e]+$/.test(value))
    throw new UsageError("--header must have the form 'Name: value', in visible ASCII characters");
  if (setAnyway.test(name) || credentialHeaders.includes(name.toLowerCase()))
    throw new UsageError(`--header cannot set ${name}: the checks send it themselves`);
  return [name, value];
}

async function readCertificates(file: string): Promise<string> {
  const pem = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new UsageError(`the file ${file} of --ca cannot be read: ${fileFault(error)}`);
  });
  if (!pem.includes('-----BEGIN CERTIFICATE-----')) throw new UsageError(`the file ${file} of --ca has no certificate`);
  return pem;
}

async function closeAll(...[operator, server]: (Pick<Target, 'close'> | undefined)[]): Promise<void> {
  try {
    await operator?.close();
  } finally {
    await server?.close();
  }
}

type Named = Partial<Pick<Credentials, CredentialName | 'region'>>;

const startSeconds = 60;
const stopSeconds = 10;
const shownOfOutput = 1_000;

/**
 * Starts a server with a command and waits until its address responds. To close it sends SIGTERM, and SIGKILL ten seconds
 * later.
 * @throws {UnusableTargetError} if another server already responds there, or if the server exits or does not respond
 *   within a minute; the message ends with the server's output
 */
async function startServer(command: string, url: string, connection?: Connection) {
  const client = createHttpClient(1, undefined, connection);
  const statusNow = () =>
    client.send(url, { method: 'GET', path: '' }).then(
      ({ status }) => status,
      () => undefined,
    );
  try {
    const status = await statusNow();
    if (status !== undefined && !gatewayStatuses.includes(status))
      throw new UnusableTargetError(`a server responds at ${url} already, so that --start cannot start one there`);
    const shell = new ShellCommand(command);
    let output = '';
    for (const stream of [shell.child.stdout, shell.child.stderr])
      stream.on('data', (chunk: Buffer) => (output = (output + chunk.toString()).slice(-shownOfOutput)));
    const close = () => shell.end('SIGTERM', stopSeconds);

    const late = `did not respond at ${url} within ${startSeconds} seconds`;
    const deadline = performance.now() + startSeconds * 1000;
    while ((await statusNow()) === undefined) {
      const reason = shell.hasEnded ? 'ended before it responded' : late;
      if (shell.hasEnded || performance.now() > deadline) {
        await close();
        const printed = output === '' ? '' : `; it printed:\n${output.trim()}`;
        throw new UnusableTargetError(`the server of --start ${reason}${printed}`);
      }
      await sleep(100);
    }
    return { close };
  } finally {
    // An idle connection would delay the shutdown of the server.
    client.close();
  }
}
