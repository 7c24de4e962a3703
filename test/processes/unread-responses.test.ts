/**
 * Clients without a credential that send requests and read no response, of each kind of path: what memory they take, and what
 * becomes of the requests of others. Each row is a server of its own. To measure the built program, set TEST_PROGRAM to
 * dist/main.js.
 */
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { Agent, get } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { builtDocsFolder } from '../../src/api/steps/serve-docs.ts';
import { settingPath } from '../support/harness.ts';
import { addTenant, startServer, stop, told } from '../support/process.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { parseMetrics } from '../support/prometheus.ts';
import { until } from '../support/until.ts';

const program = process.env['TEST_PROGRAM'] ?? 'src/main.ts';
const clients = 300;
/** Enough of the largest page to fill what the system keeps for a client that reads nothing. */
const pipelined = 10;
/** The built program takes 87 MiB before, and less than 160 with one request of each client. */
const mostGrowthMiB = { 1: 70, [pipelined]: 100 };
const few = { MAX_CONNECTIONS: '120' };
const leastRounds = 5;
const requestsOfRound = 20;

const origin = 'https://app.example';
const thumbnail = `${'0'.repeat(40)}.webp`;
const docs = '/docs/reference.html';

interface Attack {
  readonly lines: readonly string[];
  readonly environment?: NodeJS.ProcessEnv;
  readonly each?: typeof pipelined;
  readonly onOperationsPort?: true;
}

const attacks: Record<string, Attack> = {
  'the largest page, ten times': { lines: [`GET ${docs}`], each: pipelined },
  'the largest page, ten times, with few connections': { lines: [`GET ${docs}`], each: pipelined, environment: few },
  'the largest page, compressed': { lines: [`GET ${docs}`, 'Accept-Encoding: br'] },
  'the redirect to the documentation': { lines: ['GET /docs'] },
  'the document': { lines: ['GET /openapi.yaml'] },
  'a thumbnail of the largest size, ten times': { lines: [`GET /thumbnails/${thumbnail}`], each: pipelined },
  'an unknown path': { lines: ['GET /unknown'] },
  'a method that the path does not have': { lines: [`DELETE ${settingPath}`] },
  'a preflight request': {
    lines: [`OPTIONS ${settingPath}`, `Origin: ${origin}`, 'Access-Control-Request-Method: PUT'],
    environment: { CORS_ALLOWED_ORIGINS: origin },
  },
  'an operation with an unknown key': { lines: [`GET ${settingPath}`, 'x-api-key: unknown'] },
  'an invalid Host': { lines: ['GET /', 'Host: a/b'] },
  'the metrics of the operations port, ten times': { lines: ['GET /metrics'], each: pipelined, onOperationsPort: true },
  'an unknown path of the operations port': { lines: ['GET /unknown'], onOperationsPort: true },
};

// Linux alone tells the memory of another process, and the site must be built.
const measurable = existsSync('/proc/self/status') && builtDocsFolder() !== undefined;

(measurable ? test : test.skip).each(Object.entries(attacks))(
  'clients that do not read %s take little memory and no place of others',
  async (_name, { lines, environment, each = 1 as const, onOperationsPort }) => {
    const dataDir = await makeTemporaryFolder();
    const thumbnails = join(dataDir, 'document-analysis-uk-files', 'thumbnails');
    await mkdir(thumbnails, { recursive: true });
    await writeFile(join(thumbnails, thumbnail), Buffer.alloc(128 * 1024));
    const { key } = await addTenant(dataDir);
    const settings = { LOG_LEVEL: 'error', OPS_PORT: '0', RATE_LIMIT_REQUESTS: '1000000', ...environment };
    const server = await startServer({ file: program, dataDir, environment: settings });
    const { url } = server;
    const ops = await told(server, /metrics on (\S+)\n/);
    const memory = () => memoryOf(server.child.pid ?? 0);
    const kept = new Agent({ keepAlive: true, maxSockets: 1 });
    const outcomes: (number | string)[] = [];
    const round = async () => {
      for (let sent = 0; sent < requestsOfRound; sent += 1)
        outcomes.push(...(await Promise.all([ask(url, key), ask(url, key, kept)])));
    };
    await round();
    const before = memory().now;

    const [line = '', ...others] = lines;
    const host = others.some((other) => other.startsWith('Host:')) ? [] : ['Host: x'];
    const request = [`${line} HTTP/1.1`, ...host, ...others, '', ''].join('\r\n').repeat(each);
    const target = new URL(onOperationsPort ? ops : url);
    const sockets = Array.from({ length: clients }, () => {
      const socket = connect(Number(target.port), target.hostname).on('error', () => undefined);
      return socket.pause().once('connect', () => socket.write(request));
    });
    // Until the server has responded to each of them, or waits for its client.
    for (let rounds = 0, seen = -1; ; rounds += 1) {
      const { responses } = await stateOf(ops);
      const done = responses - outcomes.length;
      if (rounds >= leastRounds && done === seen) break;
      seen = done;
      await round();
    }

    for (const socket of sockets) socket.destroy();
    await until('the end of their connections', async () => (await stateOf(ops)).connections <= 1);
    await round();
    kept.destroy();
    const { highest } = memory();
    const failed = outcomes.filter((outcome) => outcome !== 200);
    // Of the files for those who read nothing, a loaded machine may give some too late.
    const complaints = server
      .stderr()
      .split('\n')
      .filter((logged) => logged !== '' && !logged.includes('FilesUnavailableError'));
    expect([failed, complaints]).toEqual([[], []]);
    expect(highest - before).toBeLessThan(mostGrowthMiB[each]);
    await stop(server);
  },
);

/** What the system keeps of the memory of a process: its resident set now, and the largest so far, in MiB. */
function memoryOf(pid: number): { now: number; highest: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const of = (name: string) => Math.round(Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1024);
  return { now: of('VmRSS'), highest: of('VmHWM') };
}

async function stateOf(ops: string): Promise<{ responses: number; connections: number }> {
  const series = parseMetrics(await (await fetch(`${ops}/metrics`)).text());
  const sum = (wanted: string) =>
    series.filter(({ name }) => name === wanted).reduce((total, { value }) => total + value, 0);
  return {
    responses: sum('http_server_request_duration_seconds_count'),
    connections: sum('http_server_open_connections'),
  };
}

/** The status of an honest request, or why there was none. Without an agent, it has a connection of its own. */
function ask(url: string, key: string, agent?: Agent): Promise<number | string> {
  return new Promise((resolve) => {
    const request = get(`${url}${settingPath}`, { headers: { 'x-api-key': key }, agent: agent ?? false });
    request.on('error', ({ message }) => {
      // Where places are few, a kept connection may be closed just as it is used again: then clients repeat the request.
      resolve(request.reusedSocket ? ask(url, key, agent) : message);
    });
    request.on('response', (response) => {
      response.resume().on('end', () => {
        resolve(response.statusCode ?? 0);
      });
    });
  });
}
