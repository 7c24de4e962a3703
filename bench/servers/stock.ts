/** Express, express-openapi-validator and openapi-backend, combined as in their own guides, with everything enabled. */
import { randomUUID } from 'node:crypto';
import express, { type ErrorRequestHandler, type Request, type Response } from 'express';
import { middleware as openApiValidator } from 'express-openapi-validator';
import { ipKeyGenerator, rateLimit } from 'express-rate-limit';
import helmet from 'helmet';
import { type Context, type Document, OpenAPIBackend } from 'openapi-backend';
import { pinoHttp } from 'pino-http';
import * as peer from '../peers/peer.ts';

type Identified = Request & { caller?: peer.Caller | undefined; kind?: 'api-key' | 'access-token'; id: string };

const api = new OpenAPIBackend({
  definition: JSON.parse(peer.documentText) as Document,
  // express-openapi-validator has already validated the request.
  validate: false,
  quick: true,
  handlers: Object.fromEntries(
    Object.entries(peer.responders).map(([operationId, responder]) => [
      operationId,
      ({ request: { params } }: Context, { caller, id, body }: Identified, response: Response) => {
        const caseId = params['id'] as string | undefined;
        const [status, found] = responder({ caller: caller as peer.Caller, requestId: id, caseId, body });
        return response.status(status).json(found);
      },
    ]),
  ),
});
await api.init();

const app = express();
app.use(helmet(peer.helmetOptions));
app.use((_request, response, next) => {
  response.setHeader('Cache-Control', peer.cacheControl);
  next();
});
app.use(
  pinoHttp({
    logger: peer.createLogger(),
    genReqId: (_request, response) => {
      const id = randomUUID();
      response.setHeader('X-Request-Id', id);
      return id;
    },
    // Without the headers, which contain secrets.
    serializers: {
      req: ({ id, method }: { id: string; method: string }) => ({ id, method }),
      res: ({ statusCode }: { statusCode: number }) => ({ statusCode }),
    },
    customProps: (request) => ({ credentialId: (request as unknown as Identified).caller?.credentialId }),
    customLogLevel: () => 'info',
  }),
);
app.use((request, _response, next) => {
  const identified = request as Identified;
  identified.kind = request.path.startsWith('/cases/') ? 'access-token' : 'api-key';
  identified.caller = peer.authenticate(request.headers, identified.kind);
  next();
});
app.use(
  rateLimit({
    windowMs: peer.rateLimitWindowMilliseconds,
    limit: peer.unreachableLimit,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    keyGenerator: (request) => (request as Identified).caller?.credentialId ?? ipKeyGenerator(request.ip ?? 'unknown'),
  }),
);
app.use(express.json({ limit: '16kb' }));
const isKnown = (request: unknown) => (request as Identified).caller !== undefined;
app.use(
  openApiValidator({
    apiSpec: JSON.parse(peer.documentText) as Parameters<typeof openApiValidator>[0]['apiSpec'] & object,
    validateRequests: { allErrors: true },
    validateResponses: false,
    validateSecurity: { handlers: { apiKey: isKnown, accessToken: isKnown } },
  }),
);
app.use((request, response, next) => {
  const { caller } = request as unknown as Identified;
  const declared = (request as { openapi?: { schema?: Record<string, unknown> } }).openapi?.schema ?? {};
  const refusal =
    caller && peer.missingRight(caller, declared['x-required-permission'], declared['x-required-feature']);
  if (refusal) response.status(403).json(refusal);
  else next();
});
app.use((request, response) =>
  api.handleRequest(
    {
      method: request.method,
      path: request.path,
      body: request.body as unknown,
      query: request.query as Record<string, string>,
      headers: request.headers as Record<string, string>,
    },
    request,
    response,
  ),
);

interface ValidatorError {
  readonly status?: number;
  readonly errors?: readonly { path: string; message: string; errorCode?: string }[];
}
const respondWithError: ErrorRequestHandler = (error: ValidatorError, request, response, _next) => {
  if (error.status === 401) {
    response.setHeader('WWW-Authenticate', peer.challenge((request as unknown as Identified).kind ?? 'api-key'));
    response.status(401).json(peer.refusalBody('request.authentication.invalid-token'));
  } else if (error.status === 400 && error.errors) {
    const faults = error.errors.map(({ path, message, errorCode = '' }) => {
      const rule = errorCode.replace('.openapi.validation', '');
      return { field: path.replace(/^\/body\/?/, ''), message, rule };
    });
    response.status(400).json(peer.invalidBody(faults));
  } else response.status(500).json(peer.refusalBody('service.internal-error'));
};
app.use(respondWithError);
app.listen(Number(process.env['PORT']), '127.0.0.1');
