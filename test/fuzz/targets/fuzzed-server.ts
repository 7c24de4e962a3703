import { randomBytes, randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import type { HttpResponse } from '../../../contract/oracle/messages.ts';
import { responseViolations } from '../../../contract/oracle/response.ts';
import { createApp } from '../../../src/api/app.ts';
import { createServer } from '../../../src/api/connections/server.ts';
import { memoryRateLimits } from '../../../src/rate-limits/rate-limit-store.ts';
import { openSqliteStore } from '../../../src/store/sqlite/open.ts';
import { makeKey, signToken, startIssuer } from '../../support/issuer.ts';
import { addAccessToken, addApiKey, addOrganisation, buildCase } from '../../support/tenants.ts';

/** So long a connection may be silent before the request counts as one that the server waits for the rest of. */
const silentMilliseconds = 40;
const unlimited = 1_000_000_000;
/** What stands for a valid credential. */
const placeholder = /\{(?:key|token|jwt)\}/;
/** Ends what came before, if it can be ended, and has the server close the connection. */
const lastRequest = 'GET /last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';

/** A server that takes bytes of anybody. */
export interface FuzzedServer {
  /** Sends one connection's bytes, in which `{key}` and others stand for what is another in each run. */
  readonly send: (input: string) => Promise<string>;
  readonly close: () => Promise<void>;
}

/** Starts a server with one case, one thumbnail, an identity provider and a proxy that it trusts. */
export async function startFuzzedServer(): Promise<FuzzedServer> {
  const folder = await mkdtemp(join(tmpdir(), 'document-analysis-fuzz-'));
  const store = openSqliteStore(join(folder, 'store.sqlite'));
  const thumbnailFolder = join(folder, 'thumbnails');
  const thumbnail = `${randomBytes(20).toString('hex')}.webp`;
  await mkdir(thumbnailFolder);
  await writeFile(join(thumbnailFolder, thumbnail), 'RIFF');
  const organisation = await addOrganisation(store);
  const stored = buildCase(['waiting_for_analysis', 'analysis_complete'], { case_id: randomUUID() });
  await store.importCases(organisation, [stored]);
  const issuerKey = makeKey('ES256', 'k');
  const issuer = await startIssuer([issuerKey], { algorithms: ['ES256'] });
  const values = new Map(
    Object.entries({
      key: await addApiKey(store, organisation, 'owner'),
      token: await addAccessToken(store, organisation),
      jwt: signToken({ ...issuer.claims(organisation, new Date()), exp: 4_000_000_000 }, issuerKey),
      case: stored.case_id,
      thumbnail,
    }),
  );
  const problems: string[] = [];
  const app = await createApp({
    config: {
      region: 'uk',
      rateLimits: {
        requests: unlimited,
        failedAuthentications: unlimited,
        publicRequests: unlimited,
        otherRequests: unlimited,
        windowSeconds: 60,
      },
      trustedProxies: ['loopback', '10.0.0.0/8'],
      identityProvider: issuer.provider,
      maxConcurrentRequests: 1000,
    },
    store,
    rateLimitStore: memoryRateLimits,
    logger: pino({ level: 'error' }, { write: (line: string) => problems.push(line) }),
    now: () => new Date(),
    thumbnailFolder,
  });
  const server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  return {
    send: async (input) => {
      const bytes = input.replaceAll(/\{(\w+)\}/g, (text, name: string) => values.get(name) ?? text);
      const received = await exchange(port, bytes + lastRequest);
      const responses = responsesIn(received);
      const mayEnter = placeholder.test(input);
      for (const response of responses) checkAny(response, mayEnter);
      const [method, path] = /^([A-Z]{3,7}) (\/[!-~]*) HTTP\/1\.1\r\nHost: a\r\n/.exec(bytes)?.slice(1) ?? [];
      const [first] = responses;
      if (first && method !== undefined && path !== undefined && method !== 'CONNECT' && !path.startsWith('/thumb')) {
        // What is no valid HTTP is refused before it belongs to an operation; to HEAD without a body that would tell.
        const malformed = first.status === 400 && (method === 'HEAD' || first.text.includes('"request.malformed"'));
        const asked = malformed ? (['GET', '/'] as const) : ([method, path] as const);
        if (!malformed || first.text !== '')
          expectNone(responseViolations(...asked, first).map(({ rule, message }) => `${rule}: ${message}`));
      }
      expectNone(problems.splice(0));
      return first === undefined ? 'silence' : String(first.status);
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await Promise.all([issuer.close(), store.close()]);
      await rm(folder, { recursive: true });
    },
  };
}

/** What holds for each response, whatever was asked. */
function checkAny({ status, headers, text }: HttpResponse, mayEnter: boolean): void {
  if (status === 200 && !mayEnter && headers['content-type'] !== 'image/webp') throw new Error('a stranger was let in');
  if (!(status >= 200 && status < 500)) throw new Error(`the status is ${status}: ${text}`);
  if (headers['x-content-type-options'] !== 'nosniff') throw new Error(`${status} has no security headers`);
  if (status >= 400 && text !== '' && !/"error_code":"[a-z.-]+"/.test(text))
    throw new Error(`${status} is no error object`);
}

function expectNone(problems: readonly string[]): void {
  if (problems.length > 0) throw new Error(problems.join('\n'));
}

/** The responses in what a connection received; those to HEAD have no body, whatever length they tell. */
function responsesIn(received: string): HttpResponse[] {
  return received
    .split(/(?=HTTP\/1\.1 \d{3} )/)
    .filter((part) => part !== '' && !part.startsWith('HTTP/1.1 100 '))
    .map((part) => {
      const end = part.indexOf('\r\n\r\n');
      const [statusLine = '', ...lines] = part.slice(0, end).split('\r\n');
      const pairs = lines.map((line) => /^(.*?): (.*)$/.exec(line) ?? ['', line, '']);
      const headers = Object.fromEntries(pairs.map(([, name = '', value]) => [name.toLowerCase(), value]));
      return { status: Number(statusLine.split(' ')[1]), headers, text: part.slice(end + 4) };
    });
}

function exchange(port: number, bytes: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    const finish = () => {
      socket.destroy();
      resolve(text);
    };
    socket.setEncoding('latin1').setTimeout(silentMilliseconds, finish);
    socket.on('data', (chunk: string) => (text += chunk)).on('close', finish);
    // The server may close while bytes are still being sent.
    socket.on('error', () => undefined);
    socket.write(bytes, 'latin1');
  });
}
