import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, beforeEach } from '@jest/globals';
import { parse } from 'yaml';
import type { Call, ClientOptions, ApiError } from '../../../client/index.ts';
import { json, serveHttp } from '../../support/misbehaving-servers.ts';
import { documentOf } from '../../../contract/document/index.ts';
import { sourcesOf } from '../../../scripts/generate/sources.ts';
import { installPackages } from '../../../scripts/install-packages.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';

/** What the server replies to a request. */
export type Reply = readonly [status: number, headers?: Record<string, string>, body?: string | Buffer];

/** A call of an operation that no type tells. */
type AnyCall = (operationId: string, ...inputs: unknown[]) => Call<unknown>;

/** An error of the other document. */
export const failedReply = (status: number): Reply => [
  status,
  json,
  JSON.stringify({ error_code: 'service.failed', error_message: 'Failed.' }),
];

/** The generated client of the other document, and a server of its own while the tests of a file run. */
export class OtherServer {
  /** The requests of the test so far. */
  requests: (Pick<IncomingMessage, 'method' | 'url' | 'headers'> & { readonly body: string })[] = [];
  #replies: Reply[] = [];
  #url = '';
  client!: ClientModule;

  constructor() {
    beforeAll(async () => {
      this.client = (await generateClient()).client;
      this.#url = await serveHttp((request, response) => {
        void text(request).then((body) => {
          const { method, url, headers } = request;
          this.requests.push({ method, url, headers, body });
          const [status, fields = {}, reply] = this.#replies.shift() ?? [500];
          response.writeHead(status, fields).end(reply);
        });
      });
    }, 300_000);
    beforeEach(() => {
      this.requests = [];
    });
  }

  /** Calls of a new client, and what the server replies to them. */
  replying(replies: readonly Reply[], options: Partial<ClientOptions> = { apiKey: 'key' }): AnyCall {
    this.#replies = [...replies];
    const client = this.client.createClient({ region: 'uk', baseUrl: this.#url, ...options });
    return (operationId, ...inputs) => {
      const method = client[operationId];
      if (!method) throw new Error(`There is no method ${operationId}.`);
      return method(...inputs);
    };
  }
}

interface ClientModule {
  createClient(
    options: Partial<ClientOptions> & { region: string },
  ): Record<string, (...inputs: unknown[]) => Call<unknown>>;
  isApiError(error: unknown, operationId: string): error is ApiError;
}

/** Writes the sources of a client of the other document to a folder of their own. */
export async function generateClient(): Promise<{ folder: string; client: ClientModule }> {
  await installPackages('scripts');
  const document = parse(await readFile(join(import.meta.dirname, 'openapi.yaml'), 'utf8')) as object;
  const folder = await makeTemporaryFolder();
  for (const file of await readdir('client'))
    if (file.endsWith('.ts')) await cp(join('client', file), join(folder, file));
  await mkdir(join(folder, 'generated'));
  const sources = await sourcesOf(documentOf(document), JSON.stringify(document));
  for (const [file, source] of Object.entries(sources))
    if (file.startsWith('client/')) await writeFile(join(folder, file.replace('client/', '')), source);
  await symlink(join(process.cwd(), 'node_modules'), join(folder, 'node_modules'));
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  const client = (await import(join(folder, 'index.ts'))) as ClientModule;
  return { folder, client };
}
