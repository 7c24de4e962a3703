/** openapi-backend on plain node:http: its own routing, validation and security handlers, with authentication and store. */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type Context, type Document, OpenAPIBackend } from 'openapi-backend';
import { authenticate, type Caller, challenge } from './support/authenticate.ts';
import { describeCase } from './support/case.ts';
import { readDocument } from './support/document.ts';
import { environment } from './support/environment.ts';
import { invalidBodyOf, refusalBody } from './support/refusals.ts';
import { store } from './support/store.ts';

const kinds = { apiKey: 'api-key', accessToken: 'access-token' } as const;

const callerOf = ({ security }: Context, scheme: keyof typeof kinds) =>
  (security as Record<typeof scheme, Caller>)[scheme];

const api = new OpenAPIBackend({
  definition: readDocument<Document>(),
  quick: true,
  validate: true,
  ajvOpts: { allErrors: true, strict: false },
  handlers: {
    getVerificationSetting: (context: Context, _request: IncomingMessage, response: ServerResponse) => {
      send(response, 200, { enabled: store.readSetting(callerOf(context, 'apiKey').organisationId) });
    },
    updateVerificationSetting: (context: Context, _request: IncomingMessage, response: ServerResponse) => {
      const { enabled } = context.request.requestBody as { enabled: boolean };
      store.changeSetting({ ...callerOf(context, 'apiKey'), enabled, requestId: randomUUID() });
      send(response, 200, { enabled });
    },
    getCase: (context: Context, _request: IncomingMessage, response: ServerResponse) => {
      const id = String(context.request.params['id']).toLowerCase();
      const found = store.readCase(callerOf(context, 'accessToken').organisationId, id);
      if (found) send(response, 200, describeCase(found));
      else send(response, 404, refusalBody('request.cases.case.not-found'));
    },
    unauthorizedHandler: (context: Context, _request: IncomingMessage, response: ServerResponse) => {
      const kind = context.operation.operationId === 'getCase' ? kinds.accessToken : kinds.apiKey;
      response.setHeader('WWW-Authenticate', challenge(kind));
      send(response, 401, refusalBody('request.authentication.invalid-token'));
    },
    validationFail: (context: Context, _request: IncomingMessage, response: ServerResponse) => {
      send(response, 400, invalidBodyOf(context.validation.errors ?? [], '/requestBody'));
    },
    notFound: (_context: Context, _request: IncomingMessage, response: ServerResponse) => {
      send(response, 404, refusalBody('request.not-found'));
    },
  },
  securityHandlers: {
    apiKey: (_context: Context, request: IncomingMessage) => authenticate(request.headers, kinds.apiKey),
    accessToken: (_context: Context, request: IncomingMessage) => authenticate(request.headers, kinds.accessToken),
  },
});
await api.init();

createServer((request, response) => {
  const handle = (body?: string) =>
    api.handleRequest(
      {
        method: request.method ?? '',
        path: request.url ?? '',
        headers: request.headers as Record<string, string>,
        ...(body !== undefined && { body }),
      },
      request,
      response,
    );
  if (request.method !== 'PUT') {
    void handle();
    return;
  }
  let text = '';
  request.setEncoding('utf8');
  request.on('data', (chunk: string) => (text += chunk));
  request.on('end', () => void handle(text));
}).listen(environment.port, '127.0.0.1');

function send(response: ServerResponse, status: number, body: object): void {
  const content = Buffer.from(JSON.stringify(body));
  response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': content.length });
  response.end(content);
}
