/** What src/api/steps/validate.ts uses of express-openapi-validator beside its public interface. */
import { expect, test } from '@jest/globals';
import { middleware } from 'express-openapi-validator';
import { OpenApiValidator } from 'express-openapi-validator/dist/openapi.validator.js';
import { openApiDocument } from '../../../src/domain/case-import.ts';

type Specification = Awaited<Parameters<OpenApiValidator['installMiddleware']>[0]>;
type Options = ConstructorParameters<typeof OpenApiValidator>[0];

const options = (): Options => ({
  apiSpec: structuredClone(openApiDocument) as Exclude<Options['apiSpec'], string>,
  validateApiSpec: false,
  validateRequests: { allErrors: true, allowUnknownQueryParameters: true },
  validateResponses: false,
  validateSecurity: false,
  fileUploader: false,
});

test('the class makes the steps that the public interface makes, one of them for the rules of a request', () => {
  const document = options().apiSpec as object;
  const specification = { apiDoc: document, basePaths: [], routes: [], serial: 0 } as unknown as Specification;
  const steps = new OpenApiValidator(options()).installMiddleware(Promise.resolve(specification));
  const names = steps.map(({ name }) => name);
  expect(names).toEqual(middleware(options()).map(({ name }) => name));
  expect(names.filter((name) => name === 'requestMiddleware')).toHaveLength(1);
});
