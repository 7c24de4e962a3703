import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Credentials, Target } from '../../contract/run/model.ts';
import { breakStore, disconnectStore } from '../../scripts/store-operator.ts';
import { readConfig } from '../../src/runtime/config.ts';

type Process = ChildProcessByStdio<null, Readable, Readable>;

/** How many requests a credential may make: more than the scenarios need, few enough to be used up in a moment. */
const requestQuota = 25;

const startTimeoutMs = 300_000;

/**
 * Starts the server of a checkout, with demo data, as a target. When the calling process exits, the server ends and its data
 * is removed.
 * @throws {Error} if the server does not start; the message ends with what it logged
 */
export async function startServerTarget(root: string): Promise<Target> {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'document-analysis-dredd-'));
  const processes: Process[] = [];
  const run = (...commandLine: string[]): Process => {
    const started = runProgram(root, [...commandLine, '--data-dir', dataDirectory]);
    processes.push(started);
    return started;
  };
  process.once('exit', () => {
    for (const started of processes) started.kill('SIGKILL');
    rmSync(dataDirectory, { recursive: true, force: true, maxRetries: 5 });
  });

  const server = run('serve', '--port', '0');
  const log = text(server.stderr);
  const { port } = new URL(await announcedUrl(server, log));
  const { databasePath } = readConfig({ DATA_DIR: dataDirectory });
  const unused = () => Promise.reject(new Error('The replay does not ask for this.'));
  return {
    credentials: await makeDemo(run('demo', '--json', '--port', port)),
    mayExhaustLimits: true,
    respondsWithExamples: true,
    requestQuota,
    operator: {
      listAuditEntries: unused,
      saveCachedResults: unused,
      countCachedResults: unused,
      identify: unused,
      readCase: unused,
      createCase: unused,
      lockCase: unused,
      breakStore: () => Promise.resolve(breakStore(databasePath)),
      disconnectStore: () => disconnectStore(databasePath),
    },
    async close() {
      if (server.exitCode !== null || !server.kill())
        throw new Error(`The server ended by itself, with exit code ${String(server.exitCode)}.\n${await log}`);
      await once(server, 'close');
    },
  };
}

async function makeDemo(demo: Process): Promise<Credentials> {
  const [output, reason] = await Promise.all([text(demo.stdout), text(demo.stderr), once(demo, 'close')]);
  if (demo.exitCode !== 0) throw new Error(`The demo data could not be made.\n${reason}`);
  return JSON.parse(output) as Credentials;
}

/**
 * Only what is named here reaches the program, so that nobody's own database or settings do. In production a server makes
 * no demo data by itself.
 */
function runProgram(root: string, commandLine: string[]): Process {
  return spawn(process.execPath, ['src/main.ts', ...commandLine], {
    cwd: root,
    env: {
      PATH: process.env['PATH'],
      TMPDIR: process.env['TMPDIR'],
      NODE_ENV: 'production',
      LOG_LEVEL: 'error',
      RATE_LIMIT_REQUESTS: String(requestQuota),
      RATE_LIMIT_WINDOW_SECONDS: '5',
      RATE_LIMIT_FAILED_AUTHENTICATIONS: '1000',
      RATE_LIMIT_PUBLIC_REQUESTS: '1000',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

function announcedUrl(server: Process, log: Promise<string>): Promise<string> {
  return new Promise((resolve, reject) => {
    const deadline = setTimeout(() => server.kill('SIGKILL'), startTimeoutMs);
    let output = '';
    server.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      const url = /http:\/\/\S+:\d+/.exec(output)?.[0];
      if (url === undefined) return;
      clearTimeout(deadline);
      resolve(url);
    });
    server.once('close', () => {
      clearTimeout(deadline);
      void log.then((logged) => {
        reject(new Error(`The server did not start.\n${logged}`));
      });
    });
  });
}
