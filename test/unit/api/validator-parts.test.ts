/** What src/api/steps/validate.ts uses of express-openapi-validator beside its public interface. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import express, { type ErrorRequestHandler } from 'express';
import { middleware } from 'express-openapi-validator';
import { type BadRequest, OpenApiValidator } from 'express-openapi-validator/dist/openapi.validator.js';
import supertest from 'supertest';
import { openApiDocument } from '../../../src/api/document.ts';
import { operationsOf, ownApi } from '../../../src/api/api-description.ts';
import { validate } from '../../../src/api/steps/validate.ts';
import { received } from '../../support/other-api.ts';

type Specification = Awaited<Parameters<OpenApiValidator['installMiddleware']>[0]>;
type Options = ConstructorParameters<typeof OpenApiValidator>[0];

const root = new URL('../../../', import.meta.url);
const path = '/organisations/features/verification';
const options = (): Options => ({
  apiSpec: structuredClone(openApiDocument) as Exclude<Options['apiSpec'], string>,
  validateApiSpec: false,
  validateRequests: { allErrors: true, allowUnknownQueryParameters: true },
  validateResponses: false,
  validateSecurity: false,
  fileUploader: false,
});

test('its version is the one that the parts were read in', () => {
  const wanted = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as {
    devDependencies: Record<string, string>;
  };
  expect(wanted.devDependencies['express-openapi-validator']).toBe('5.6.2');
});

test('the class makes the steps that the public interface makes, one of them for the rules of a request', () => {
  const document = options().apiSpec as object;
  const specification = { apiDoc: document, basePaths: [], routes: [], serial: 0 } as unknown as Specification;
  const steps = new OpenApiValidator(options()).installMiddleware(Promise.resolve(specification));
  const names = steps.map(({ name }) => name);
  expect(names).toEqual(middleware(options()).map(({ name }) => name));
  expect(names.filter((name) => name === 'requestMiddleware')).toHaveLength(1);
});

describe('the step refuses what the public interface refuses', () => {
  const describeFault: ErrorRequestHandler = (error: BadRequest, _request, response, _next) => {
    response.status(error.status).json(error.errors.map(({ errorCode }) => errorCode?.split('.')[0]));
  };
  const publicly = express().use(express.json(), ...middleware(options()), (_request, response) => response.json([]));
  publicly.use(describeFault);
  const operations = operationsOf(ownApi);
  const operation = operations.get('updateVerificationSetting');
  const own = express().use(
    express.json(),
    (request, _response, next) => {
      if (operation) request.operation = operation;
      next();
    },
    validate(ownApi.document, operations.values()),
    (_request, response) => response.json([]),
  );
  own.use(((refusal: { details: { errors: { rule: string }[] } }, _request, response, _next) => {
    response.status(400).json(refusal.details.errors.map(({ rule }) => rule));
  }) as ErrorRequestHandler);

  test.each([{ enabled: true }, {}, { enabled: 1 }, { enabled: true, other: 1 }, { other: 1, enabled: 'x' }, []])(
    '%j',
    async (body) => {
      const send = (app: express.Express) => received(supertest(app).put(path).send(body));
      const [expected, given] = [await send(publicly), await send(own)];
      expect([given.status, given.body]).toEqual([expected.status, expected.body]);
    },
  );
});
