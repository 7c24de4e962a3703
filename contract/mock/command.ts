import { Command } from 'commander';
import { port, portOf } from '../cli/options.ts';
import { documentToCheck } from '../cli/document-option.ts';
import { type MakeCommand, print, table } from '../cli/run-command.ts';
import { serve, stopped } from '../cli/serve.ts';
import type { ApiDocument } from '../document/model.ts';
import { isOwnApi } from '../document/own-document.ts';
import { origin } from './allow-origins.ts';
import { type MockRecord, createMock } from './app.ts';
import { curlLines, exampleRows } from './describe-mock.ts';

const help = `
Any credential of the right form is accepted. The header Prefer chooses the example, as in
'Prefer: code=403, example=feature-not-enabled'. A request that breaks the document is refused as by a conforming server.

Examples:
  $ document-analysis-contract mock
  $ document-analysis-contract mock --region ca --port 8081
  $ document-analysis-contract mock --cors http://localhost:5173`;

interface Options {
  readonly region: string;
  readonly host: string;
  readonly port?: number;
  readonly openapi?: string;
  readonly cors?: readonly string[];
}

/** Serves the document's examples until the process is interrupted. */
export const mockCommand: MakeCommand = ({ stdout, stderr, environment, signal }) =>
  new Command('mock')
    .description("Respond with the document's examples until SIGINT or SIGTERM, for developers of clients.")
    .option('--region <region>', 'the region that challenges name', environment['REGION'] ?? 'uk')
    .option('--host <host>', 'the address to listen on', environment['HOST'] ?? '127.0.0.1')
    .option('--port <port>', 'the port to listen on; 0 chooses a free one (PORT, 8080)', port)
    .option('--openapi <file>', "mock this document (OpenAPI 3.0 or 3.1) instead of the project's own")
    .option('--cors <origin>', 'let web pages of this origin call the mock; repeatable, * for every origin', origin)
    .addHelpText('after', help)
    .action(async ({ region, host, openapi, cors: allowedOrigins, ...options }: Options) => {
      const document = await documentToCheck(openapi, stderr);
      const onResponse = (record: MockRecord) => stderr.write(`${JSON.stringify(record)}\n`);
      const server = await serve(
        createMock({ region, document, onResponse, ...(allowedOrigins && { allowedOrigins }) }),
        { host, port: portOf(options, environment, 8080) },
        { requireHostHeader: false },
      );
      await print(stdout, describe(region, server.url, document));
      await stopped(signal);
      await server.close();
    });

function describe(region: string, baseUrl: string, document: ApiDocument): string {
  const mocked = isOwnApi(document) ? `region ${region}` : document.title;
  const examples = table(['operation', 'status', 'examples'], exampleRows(document));
  return (
    `Mocking ${mocked} on ${baseUrl}\n\n${examples}\n\n` +
    `Without Prefer the response is a success. To choose one:\n  ${curlLines(baseUrl, document).join('\n  ')}\n`
  );
}
