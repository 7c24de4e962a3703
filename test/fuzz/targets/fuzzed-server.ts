import { randomBytes } from 'node:crypto';
import type { Server } from 'node:http';
import { pino } from 'pino';
import type { HttpResponse } from '../../../contract/oracle/messages.ts';
import { responseViolations } from '../../../contract/oracle/response.ts';
import { makeKey, signToken } from '../../support/issuer.ts';
import { openConnection } from '../../support/raw-http.ts';
import { startProviderHarness } from '../../support/provider-harness.ts';
import { TemporaryFolder } from '../../support/temporary-folder.ts';
import { addAccessToken, addApiKey, addCase, buildCase } from '../../support/tenants.ts';

/** So long a connection may be silent before the request counts as one that the server waits for the rest of. */
const silentMilliseconds = 40;
const unlimited = 1_000_000_000;
/** What stands for a valid credential. */
const placeholder = /\{(?:key|token|jwt)\}/;
/** Ends what came before, if it can be ended, and has the server close the connection. */
const lastRequest = 'GET /last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';

/** Starts a server with one case, one thumbnail, an identity provider and a proxy that it trusts. */
export async function startFuzzedServer() {
  const folder = await TemporaryFolder.make();
  const thumbnail = `${randomBytes(20).toString('hex')}.webp`;
  await folder.write(thumbnail, 'RIFF');
  const problems: string[] = [];
  const harness = await startProviderHarness({
    keys: [makeKey('ES256', 'k')],
    provider: { algorithms: ['ES256'] },
    rateLimits: {
      ...{ requests: unlimited, failedAuthentications: unlimited },
      ...{ publicRequests: unlimited, otherRequests: unlimited },
    },
    trustedProxies: ['loopback', '10.0.0.0/8'],
    logger: pino({ level: 'error' }, { write: (line: string) => problems.push(line) }),
    thumbnailFolder: folder.path,
  });
  const { api, organisationId, key } = harness;
  const stored = buildCase(['waiting_for_analysis', 'analysis_complete']);
  const values: Record<string, string> = {
    key: await addApiKey(api.store, organisationId, 'owner'),
    token: await addAccessToken(api.store, organisationId),
    jwt: signToken(harness.claims({ exp: 4_000_000_000 }), key),
    case: await addCase(api.store, organisationId, stored),
    thumbnail,
  };

  return {
    /** Sends one connection's bytes, in which `{key}` and others stand for what is another in each run. */
    send: async (input: string): Promise<string> => {
      const bytes = input.replaceAll(/\{(\w+)\}/g, (text, name: string) => values[name] ?? text);
      const received = await exchange(api.server, bytes + lastRequest);
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

async function exchange(server: Server, bytes: string): Promise<string> {
  const { socket, text } = await openConnection(server);
  socket.setTimeout(silentMilliseconds, () => socket.destroy());
  socket.write(bytes, 'latin1');
  // The server may close while bytes are still being sent, which is an error.
  await new Promise((resolve) => socket.once('close', resolve));
  return text();
}
