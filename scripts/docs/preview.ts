/** Shows the reference while the document is edited: a browser that shows it reloads when it or the changelog is saved. */
import { once } from 'node:events';
import { watch } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Command } from 'commander';
import express, { type Response } from 'express';
import { parse } from 'yaml';
import { wholeNumber } from '../../src/cli/arguments.ts';
import { exitCodes } from '../../src/cli/errors.ts';
import type { RawDocument } from '../../contract/document/raw.ts';
import { contractChangelogFile } from '../release/changelog.ts';
import { redocly } from '../redocly.ts';
import { runAsMain, runScript } from '../script.ts';
import { renderPage } from './page.ts';

const settleMilliseconds = 100;
const readers = new Set<Response>();

/** Editors write a file in several steps, or replace it, so this watches the folder and waits until it is quiet. */
function watchSources(): void {
  let quiet: NodeJS.Timeout | undefined;
  watch('openapi', (_event, name) => {
    if (name !== 'openapi.yaml' && name !== 'CHANGELOG.md') return;
    clearTimeout(quiet);
    quiet = setTimeout(() => {
      for (const reader of readers) reader.write('data: saved\n\n');
    }, settleMilliseconds);
  });
}

const script = "new EventSource('events').onmessage = () => location.reload();";

/** The page of the authored document with its faults, or the faults alone if no page can be made of it. */
async function previewedPage(): Promise<string> {
  const problems = await redocly('lint', 'document-analysis');
  try {
    const document = parse(await readFile('openapi/openapi.yaml', 'utf8'), { merge: true }) as RawDocument;
    const changelog = await readFile(contractChangelogFile, 'utf8');
    const { html } = renderPage({ document, changelog }, { script, problems });
    console.log(problems || `${new Date().toLocaleTimeString()} The page is up to date.`);
    return html;
  } catch (error) {
    const text = `No page can be made of the document: ${String(error)}\n\n${problems}`;
    console.log(text);
    return `<!doctype html><pre>${text.replaceAll('<', '&lt;')}</pre><script>${script}</script>`;
  }
}

const app = express()
  .get('/', async (_request, response) => {
    response
      .set('Cache-Control', 'no-store')
      .type('html')
      .send(await previewedPage());
  })
  .get('/events', (_request, response) => {
    response.type('text/event-stream').flushHeaders();
    readers.add(response.on('close', () => readers.delete(response)));
  });

const command = new Command('npm run docs:preview --')
  .description(
    'Show the documentation in a browser and renew it as openapi/openapi.yaml or openapi/CHANGELOG.md is edited.',
  )
  .option('--port <port>', 'the port to listen on; 0 chooses a free one', wholeNumber(0, 65_535), 8090)
  .addHelpText('after', '\nExample:\n  $ npm run docs:preview -- --port 9000');

await runAsMain((argv, context) =>
  runScript(command, argv, context, async () => {
    const server = createServer(app).listen(command.opts<{ port: number }>().port, '127.0.0.1');
    await once(server, 'listening').catch((error: unknown) => {
      throw new Error(`${(error as Error).message}. Choose another port with --port.`, { cause: error });
    });
    watchSources();
    console.log(`Preview on http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    return exitCodes.done;
  }),
);
