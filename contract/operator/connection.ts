import { createInterface } from 'node:readline';
import { JSONRPCClient, type JSONRPCResponse } from 'json-rpc-2.0';
import { ShellCommand } from '../cli/shell.ts';

/** A connection to an operator. */
export interface OperatorConnection {
  readonly client: JSONRPCClient;
  close(): Promise<void>;
}

const closeSeconds = 5;
const shownOfOutput = 500;

/** Connects to an operator: `http://` and `https://` are URLs, everything else is a command line. */
export function connectOperator(address: string): OperatorConnection {
  return /^https?:\/\//i.test(address) ? connectUrl(address) : connectCommand(address);
}

/** Sends each request as the body of a POST; the body of the response is the operator's response. */
function connectUrl(url: string): OperatorConnection {
  const client = new JSONRPCClient(async (request) => {
    const headers = { 'Content-Type': 'application/json' };
    const options = { method: 'POST', headers, body: JSON.stringify(request), redirect: 'error' } as const;
    const response = await fetch(url, options).catch((error: unknown) => {
      const { cause, message } = error as Error;
      throw new Error(`${url} cannot be reached: ${cause instanceof Error ? cause.message || message : message}`);
    });
    if (!response.ok) throw new Error(`${url} responded with status ${response.status}`);
    client.receive((await response.json()) as JSONRPCResponse);
  });
  return { client, close: () => Promise.resolve() };
}

/** The command reads one request per line from stdin, and writes one response per line to stdout. */
function connectCommand(command: string): OperatorConnection {
  const shell = new ShellCommand(command);
  const { stdin, stdout, stderr } = shell.child;
  let printed = '';
  const client = new JSONRPCClient((request) => {
    if (shell.hasEnded) throw new Error(ended());
    stdin.write(`${JSON.stringify(request)}\n`);
  });
  const ended = () => {
    const { exitCode, signalCode } = shell.child;
    return `its process has ended with ${signalCode ?? `exit code ${exitCode}`}${printed === '' ? '' : `: ${printed.trim()}`}`;
  };
  stderr.on('data', (chunk: Buffer) => (printed = (printed + chunk.toString()).slice(-shownOfOutput)));
  shell.child.once('close', () => {
    client.rejectAllPendingRequests(ended());
  });
  createInterface(stdout).on('line', (line) => {
    try {
      client.receive(JSON.parse(line) as JSONRPCResponse);
    } catch {
      client.rejectAllPendingRequests(`it wrote a line that is not JSON: ${line.slice(0, shownOfOutput)}`);
    }
  });
  return { client, close: () => shell.end(undefined, closeSeconds) };
}
