/** Shows the reference while the document is edited: a browser that shows it reloads when it or the changelog is saved. */
import { once } from 'node:events';
import { readFile, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Command } from 'commander';
import { parse } from 'yaml';
import { wholeNumber } from '../../src/cli/arguments.ts';
import type { RawDocument } from '../../contract/document/raw.ts';
import { contractChangelogFile } from '../release/changelog.ts';
import { contractFile } from '../release/verdict.ts';
import { redocly } from '../redocly.ts';
import { runCommandLine } from '../command-line.ts';
import { renderPage } from './page.ts';

/** When each source was saved; an editor may replace it, so that for a moment there is none. */
async function savedAt(): Promise<string> {
  const times = [contractFile, contractChangelogFile].map((file) =>
    stat(file).then(
      ({ mtimeMs }) => mtimeMs,
      () => 0,
    ),
  );
  return (await Promise.all(times)).join();
}

/** The page of the authored document with its faults, or the faults alone if no page can be made of it. */
async function previewedPage(): Promise<string> {
  // A second reload would cancel the first, which waits for the new page.
  const script = `const polling = setInterval(async () => {
    if ((await (await fetch('saved')).text()) === '${await savedAt()}') return;
    clearInterval(polling);
    location.reload();
  }, 300);`;
  const problems = await redocly('lint', 'document-analysis');
  try {
    const document = parse(await readFile(contractFile, 'utf8'), { merge: true }) as RawDocument;
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

const routes = new Map([
  ['/', previewedPage],
  ['/saved', savedAt],
]);
const server = createServer((request, response) => {
  const respond = routes.get(new URL(request.url ?? '', 'http://localhost').pathname);
  response.setHeader('Cache-Control', 'no-store').setHeader('Content-Type', 'text/html; charset=utf-8');
  if (respond) void respond().then((text) => response.end(text));
  else response.writeHead(404).end();
});

await runCommandLine(
  new Command('npm run docs:preview --')
    .description(
      'Show the documentation in a browser and renew it as openapi/openapi.yaml or openapi/CHANGELOG.md is edited.',
    )
    .option('--port <port>', 'the port to listen on; 0 chooses a free one', wholeNumber(0, 65_535), 8090)
    .addHelpText('after', '\nExample:\n  $ npm run docs:preview -- --port 9000')
    .action(async ({ port }: { port: number }) => {
      await once(server.listen(port, '127.0.0.1'), 'listening').catch((error: unknown) => {
        throw new Error(`${(error as Error).message}. Choose another port with --port.`, { cause: error });
      });
      console.log(`Preview on http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    }),
);
