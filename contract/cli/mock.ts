import { Command, InvalidArgumentError } from 'commander';
import type { ApiDocument } from '../document/model.ts';
import { isOwnApi } from '../document/own-document.ts';
import { type MockRecord, createMock } from '../mock/app.ts';
import { documentedExamples } from '../mock/examples.ts';
import { documentToCheck, port as portNumber, portOf } from './options.ts';
import { type MakeCommand, print, table } from './run-command.ts';
import { serve, stopped } from './serve.ts';

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
    .option('--port <port>', 'the port to listen on; 0 chooses a free one (PORT, 8080)', portNumber)
    .option('--openapi <file>', "mock this document (OpenAPI 3.0 or 3.1) instead of the project's own")
    .option('--cors <origin>', 'let web pages of this origin call the mock; repeatable, * for every origin', origin)
    .addHelpText('after', help)
    .action(async ({ region, host, openapi, cors: allowedOrigins = [], ...options }: Options) => {
      const document = await documentToCheck(openapi, stderr);
      const onResponse = (record: MockRecord) => stderr.write(`${JSON.stringify(record)}\n`);
      const port = portOf(options, environment, 8080);
      const server = await serve(createMock({ region, document, onResponse, allowedOrigins }), { host, port });
      const mocked = isOwnApi(document) ? `region ${region}` : document.title;
      const examples = table(['operation', 'status', 'examples'], exampleRows(document));
      await print(
        stdout,
        `Mocking ${mocked} on ${server.url}\n\n${examples}\n\n` +
          `Without Prefer the response is a success. To choose another, send a header such as 'Prefer: code=404, example=…'.\n`,
      );
      await stopped(signal);
      await server.close();
    });

function origin(text: string, others: readonly string[] = []): readonly string[] {
  const { protocol = '', origin: expected } = URL.parse(text) ?? {};
  const advice = /^https?:$/.test(protocol) ? `: write ${expected ?? ''}` : '';
  if (text !== '*' && (advice === '' || expected !== text))
    throw new InvalidArgumentError(`It must be an origin such as http://localhost:5173, or *${advice}.`);
  return [...others, text];
}

/** The responses that the mock can send: one row per status, with the names of its examples. */
export function exampleRows(document: ApiDocument): [operationId: string, status: string, examples: string][] {
  return [...documentedExamples(document)].flatMap(([operationId, examples]) =>
    [...Map.groupBy(examples, ({ status }) => status)].map(([status, ofStatus]): [string, string, string] => {
      // Two media types may have examples of the same name.
      const names = new Set(ofStatus.map(({ name }) => name));
      return [operationId, String(status), [...names].join(', ')];
    }),
  );
}
