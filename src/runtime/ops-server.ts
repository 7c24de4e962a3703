/** Probes and metrics on a port of their own, which callers cannot reach and which responds under overload too. */
import { createServer } from 'node:http';
import type { Logger } from 'pino';
import type { Config } from './config.ts';
import { serveFairly } from '../api/connections/fairness.ts';
import { tracked } from '../api/connections/connection-tracker.ts';
import { listen } from '../api/connections/listen.ts';

export interface OpsSources {
  /** The parts of the service that are not ready; none if it is. */
  notReady(): Promise<readonly string[]>;
  /** The parts that work only in part, which is no reason to send requests elsewhere. */
  degraded(): Promise<readonly string[]>;
  metrics(): Promise<{ contentType: string; text: string }>;
}

/** What the operator's probes never need, and strangers shall not take: file descriptors are those of the API, too. */
const limits = { headersTimeout: 5_000, requestTimeout: 5_000, connectionsCheckingInterval: 1_000 };
export const maxOpsConnections = 100;
const silentMilliseconds = 15_000;

interface PageResponse {
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
  readonly allow?: string;
}

export async function startOpsServer(address: NonNullable<Config['ops']>, sources: OpsSources, logger: Logger) {
  let metrics: ReturnType<OpsSources['metrics']> | undefined;
  const pages: Record<string, (() => Promise<PageResponse>) | undefined> = {
    '/healthz': () => Promise.resolve(json(200, { status: 'alive' })),
    '/readyz': async () => {
      const [notReady, degraded] = await Promise.all([sources.notReady(), sources.degraded()]);
      const detail = degraded.length === 0 ? {} : { degraded };
      if (notReady.length === 0) return json(200, { status: 'ready', ...detail });
      return json(503, { status: 'not ready', not_ready: notReady, ...detail });
    },
    '/metrics': async () => {
      // Concurrent requests share one text of tens of kilobytes.
      metrics ??= sources.metrics().finally(() => (metrics = undefined));
      return { status: 200, ...(await metrics) };
    },
  };

  const respond = async (method: string, url: string): Promise<PageResponse> => {
    const page = pages[url.replace(/\?.*/s, '')];
    if (!page) return json(404, { status: 'not found', paths: Object.keys(pages) });
    if (method !== 'GET' && method !== 'HEAD')
      return { ...json(405, { status: 'method not allowed' }), allow: 'GET, HEAD' };
    try {
      return await page();
    } catch (error) {
      logger.error({ err: error }, 'the operations port failed');
      return json(500, { status: 'failed' });
    }
  };

  const server = tracked(createServer(limits));
  server.timeout = silentMilliseconds;
  serveFairly(server, maxOpsConnections, (request, response) => {
    void respond(String(request.method), String(request.url)).then(({ status, contentType, text, allow }) => {
      const headers = { 'Content-Type': contentType, 'Cache-Control': 'no-store', ...(allow && { Allow: allow }) };
      response.writeHead(status, headers).end(text);
    });
  });
  const port = await listen(server, address, 'OPS_HOST and OPS_PORT');
  return {
    port,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

function json(status: number, body: object): PageResponse {
  return { status, contentType: 'application/json', text: JSON.stringify(body) };
}
