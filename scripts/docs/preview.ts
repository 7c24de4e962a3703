/** Shows the documentation while the document is edited: saving it or the changelog renders the page again. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, watch } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Command } from 'commander';
import { wholeNumber } from '../../src/cli/arguments.ts';
import { exitCodes } from '../../src/cli/errors.ts';
import { runAsMain, runScript } from '../script.ts';
import type { RawDocument } from '../../contract/document/raw.ts';
import { contractChangelogFile } from '../release/changelog.ts';
import { renderPage } from './page.ts';
import { parse } from 'yaml';
import { redocly } from '../redocly.ts';

const settleMilliseconds = 100;
const generated = JSON.parse(readFileSync('generated/openapi.json', 'utf8')) as RawDocument;
const readers = new Set<ServerResponse>();
let page: Awaited<ReturnType<typeof previewedPage>>;
/** Renders one after the other, so that the page shows the last edit. */
let renewed = Promise.resolve();

async function renew(last: RawDocument): Promise<void> {
  page = await previewedPage(last);
  const { problems } = page;
  process.stdout.write(problems ? `${problems}\n` : `${new Date().toLocaleTimeString()} The page is up to date.\n`);
  for (const reader of readers) tellVersion(reader);
}

function tellVersion(reader: ServerResponse): void {
  reader.write(`data: ${createHash('sha256').update(page.html).digest('hex')}\n\n`);
}

/** Editors write a file in several steps, or replace it, so this watches the folder and waits until it is quiet. */
function watchFile(folder: string, name: string): void {
  let timer: NodeJS.Timeout | undefined;
  watch(folder, (_event, changed) => {
    if (changed !== name) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      renewed = renewed.then(() => renew(page.document));
    }, settleMilliseconds);
  });
}

const serve: RequestListener = (request, response) => {
  const send = (type: string, content: string) => {
    response.writeHead(200, { 'Content-Type': type, 'Cache-Control': 'no-store' }).end(content);
  };
  switch (request.url?.split('?')[0]) {
    case '/':
      send('text/html; charset=utf-8', page.html);
      return;
    case '/openapi.yaml':
      readFile('openapi/openapi.yaml', 'utf8').then(
        (text) => {
          send('application/yaml', text);
        },
        () => response.writeHead(404).end(),
      );
      return;
    case '/openapi.json':
      send('application/json', JSON.stringify(page.document, null, 2));
      return;
    case '/events':
      response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
      readers.add(response.on('close', () => readers.delete(response)));
      tellVersion(response);
      return;
    default:
      response.writeHead(404).end();
  }
};

async function preview({ port }: { port: number }): Promise<void> {
  await renew(generated);
  const server = createServer(serve).listen(port, '127.0.0.1');
  await once(server, 'listening').catch((error: unknown) => {
    throw new Error(`${(error as Error).message}. Choose another port with --port.`, { cause: error });
  });
  for (const name of ['openapi.yaml', 'CHANGELOG.md']) watchFile('openapi', name);
  process.stdout.write(`Preview on http://127.0.0.1:${(server.address() as AddressInfo).port}/\n`);
}

const command = new Command('npm run docs:preview --')
  .description(
    'Show the documentation in a browser and renew it as openapi/openapi.yaml or openapi/CHANGELOG.md is edited.',
  )
  .option('--port <port>', 'the port to listen on; 0 chooses a free one', wholeNumber(0, 65_535), 8090)
  .addHelpText('after', '\nExample:\n  $ npm run docs:preview -- --port 9000');

await runAsMain((argv, context) =>
  runScript(command, argv, context, async () => {
    await preview(command.opts());
    return exitCodes.done;
  }),
);

/** Renders the authored document, or the last one that could be rendered, with the current faults. */
async function previewedPage(last: RawDocument) {
  const faults: string[] = [];
  const read = async <T>(file: string, work: (text: string) => T | Promise<T>) => {
    try {
      return await work(await readFile(file, 'utf8'));
    } catch (error) {
      faults.push(`${file} cannot be read: ${(error as Error).message}`);
      return undefined;
    }
  };
  const document =
    (await read('openapi/openapi.yaml', async (text) => {
      const authored = parse(text, { merge: true }) as RawDocument;
      faults.push(await redocly('lint', 'document-analysis'));
      return authored;
    })) ?? last;
  const changelog = (await read(contractChangelogFile, (text) => text)) ?? '';
  const problems = faults.filter((text) => text !== '').join('\n\n');
  const pageOf = (shown: RawDocument, found: string) => ({
    html: renderPage({ document: shown, changelog }, { problems: found }).html,
    document: shown,
    problems: found,
  });
  try {
    return pageOf(document, problems);
  } catch (error) {
    return pageOf(last, `No page can be made of openapi/openapi.yaml: ${String(error)}\n\n${problems}`);
  }
}
