import type { Worker } from 'node:cluster';
import { EventEmitter, once } from 'node:events';
import { expect, test } from '@jest/globals';
import { pino } from 'pino';
import { isServingMessage, type ServingMessage, stopMessage } from '../../../src/runtime/workers/messages.ts';
import { serveAsWorker, type WorkerProcess } from '../../../src/runtime/workers/worker.ts';
import { readConfig } from '../../../src/runtime/config.ts';
import { openTemporaryStore } from '../../support/temporary-store.ts';
import { settingPath } from '../../support/harness.ts';
import { addApiKey, addOrganisation } from '../../support/tenants.ts';

/** The channel between a worker and its primary. */
class Channel extends EventEmitter {
  send(message: object): boolean {
    return this.emit('sent', message);
  }
}

test.each([{}, { OPS_PORT: '0' }])(
  'a worker serves until its primary says stop, whatever signals come (%j)',
  async (environment) => {
    const store = openTemporaryStore();
    const headers = { 'x-api-key': await addApiKey(store, await addOrganisation(store), 'owner') };
    const config = readConfig({ PORT: '0', DRAIN_DELAY_SECONDS: '3600', ...environment });
    const channel = new Channel();
    const sent = once(channel, 'sent');
    const dependencies = { store, logger: pino({ level: 'silent' }), now: () => new Date() };
    const served = serveAsWorker(
      config,
      dependencies,
      () => (_part, work) => work,
      channel as unknown as WorkerProcess,
      channel as unknown as Worker,
    );

    const [message] = (await sent) as [ServingMessage];
    expect(isServingMessage(message)).toBe(true);
    const read = () => fetch(`http://127.0.0.1:${message.port}${settingPath}`, { headers });
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) expect(channel.emit(signal, signal)).toBe(true);
    for (const other of [null, 'stop', { type: 'stop' }, {}]) channel.emit('message', other);
    // The primary was killed: Node.js ends the worker a moment later.
    expect(channel.emit('error', new Error('write EPIPE'))).toBe(true);
    expect((await read()).status).toBe(200);

    channel.emit('message', stopMessage);
    await served;
    await expect(read()).rejects.toThrow();
    await store.close();
  },
);
