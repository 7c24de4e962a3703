/** Express, express-openapi-validator and openapi-backend, combined as in their own guides, with everything enabled. */
import { randomUUID } from 'node:crypto';
import express, { type ErrorRequestHandler, type Request, type Response } from 'express';
import { middleware as openApiValidator } from 'express-openapi-validator';
import { ipKeyGenerator, rateLimit } from 'express-rate-limit';
import helmet from 'helmet';
import { type Context, type Document, OpenAPIBackend } from 'openapi-backend';
import { pinoHttp } from 'pino-http';
import {
  authenticate,
  cacheControl,
  type Caller,
  challenge,
  createLogger,
  documentText,
  helmetOptions,
  invalidBody,
  rateLimitWindowMilliseconds,
  refusalBody,
  unreachableLimit,
} from '../peers/peer.ts';
import { store } from '../peers/peer-store.ts';

type Identified = Request & { caller?: Caller | undefined; kind?: 'api-key' | 'access-token'; id: string };

const callerOf = ({ caller }: Identified): Caller => {
  if (!caller) throw new Error('Nobody was authenticated for this request.');
  return caller;
};
const api = new OpenAPIBackend({
  definition: JSON.parse(documentText) as Document,
  // express-openapi-validator has already validated the request.
  validate: false,
  quick: true,
  handlers: {
    getVerificationSetting: (_context: Context, request: Identified, response: Response) =>
      response.json({ enabled: store.readSetting(callerOf(request).organisationId) }),
    updateVerificationSetting: (_context: Context, request: Identified, response: Response) => {
      const { enabled } = request.body as { enabled: boolean };
      store.changeSetting({ ...callerOf(request), enabled, requestId: request.id });
      return response.json({ enabled });
    },
    getCase: (context: Context, request: Identified, response: Response) => {
      const found = store.readCase(
        callerOf(request).organisationId,
        String(context.request.params['id']).toLowerCase(),
      );
      if (found) return response.json(found);
      return response.status(404).json(refusalBody('request.cases.case.not-found'));
    },
  },
});
await api.init();

const app = express();
app.use(helmet(helmetOptions));
app.use((_request, response, next) => {
  response.setHeader('Cache-Control', cacheControl);
  next();
});
app.use(
  pinoHttp({
    logger: createLogger(),
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
  identified.caller = authenticate(request.headers, identified.kind);
  next();
});
app.use(
  rateLimit({
    windowMs: rateLimitWindowMilliseconds,
    limit: unreachableLimit,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    keyGenerator: (request) => (request as Identified).caller?.credentialId ?? ipKeyGenerator(request.ip ?? 'unknown'),
  }),
);
app.use(express.json({ limit: '16kb' }));
const isKnown = (request: unknown) => (request as Identified).caller !== undefined;
app.use(
  openApiValidator({
    apiSpec: JSON.parse(documentText) as Parameters<typeof openApiValidator>[0]['apiSpec'] & object,
    validateRequests: { allErrors: true },
    validateResponses: false,
    validateSecurity: { handlers: { apiKey: isKnown, accessToken: isKnown } },
  }),
);
app.use((request, response, next) => {
  const { caller } = request as unknown as Identified;
  const declared = (request as { openapi?: { schema?: Record<string, unknown> } }).openapi?.schema ?? {};
  const permission = declared['x-required-permission'];
  const feature = declared['x-required-feature'];
  if (typeof permission === 'string' && !caller?.permissions.includes(permission))
    response.status(403).json(refusalBody('request.forbidden'));
  else if (typeof feature === 'string' && !caller?.features.includes(feature))
    response.status(403).json(refusalBody('request.organisations.feature-flag.not-enabled'));
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
    response.setHeader('WWW-Authenticate', challenge((request as unknown as Identified).kind ?? 'api-key'));
    response.status(401).json(refusalBody('request.authentication.invalid-token'));
  } else if (error.status === 400 && error.errors) {
    const faults = error.errors.map(({ path, message, errorCode = '' }) => {
      const rule = errorCode.replace('.openapi.validation', '');
      return { field: path.replace(/^\/body\/?/, ''), message, rule };
    });
    response.status(400).json(invalidBody(faults));
  } else response.status(500).json(refusalBody('service.internal-error'));
};
app.use(respondWithError);
app.listen(Number(process.env['PORT']), '127.0.0.1');
