import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { ownDocument } from '../../contract/document/own-document.ts';
import { createProxy, type ProxyOptions } from '../../contract/proxy/app.ts';
import type { ProxyRecord } from '../../contract/proxy/observe.ts';
import { listen } from '../../src/api/connections/listen.ts';
import { createServer } from '../../src/api/connections/server.ts';
import { serveBytes, serveHttp } from './misbehaving-servers.ts';

export type RunningProxy = Awaited<ReturnType<typeof startProxy>>;
type Work = (proxy: RunningProxy) => Promise<unknown>;

/** Stands before a server while `work` runs; resolves to what it has found once everything has been reported. */
export async function withProxy(target: string, work: Work, options?: Partial<ProxyOptions>): Promise<RunningProxy> {
  const running = await startProxy(target, options);
  try {
    await work(running);
  } finally {
    await running.close();
  }
  return running;
}

async function startProxy(target: string, options?: Partial<ProxyOptions>) {
  const records: ProxyRecord[] = [];
  const report = (record: ProxyRecord) => void records.push(record);
  const now = () => new Date('2026-03-02T12:00:00.000Z');
  const proxy = createProxy({
    ...{ target, caseTarget: target, timeoutSeconds: 20, document: ownDocument, report, now, ...options },
  });
  const server = createServer(proxy.listener);
  const port = await listen(server, { host: '127.0.0.1', port: 0 }, '');
  return {
    url: `http://127.0.0.1:${port}`,
    /** What it has reported. */
    records,
    /** What it has reported that breaks the contract, or was not looked at; for short as `response header: …`. */
    findings: () =>
      records.flatMap(({ type, violations, body_not_checked: unchecked }) => [
        ...violations.map(({ rule, message }) => `${type} ${rule}: ${message}`),
        ...(unchecked === null ? [] : [`${type} not checked: ${unchecked}`]),
      ]),
    close: async () => {
      await new Promise((closed) => server.close(closed));
      await proxy.close();
    },
  };
}

/** Stands before a server of HTTP while `work` runs. */
export const withProxiedServer = async (handler: RequestListener, work: Work, options?: Partial<ProxyOptions>) =>
  withProxy(await serveHttp(handler), work, options);

/** Stands before a server of bytes while `work` runs. */
export const withProxiedSocket = async (serve: (socket: Socket) => void, work: Work, options?: Partial<ProxyOptions>) =>
  withProxy(await serveBytes(serve), work, options);
