/** What src/api/steps/validate.ts uses of express-openapi-validator beside its public interface. */
import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { middleware } from 'express-openapi-validator';
import { OpenApiValidator } from 'express-openapi-validator/dist/openapi.validator.js';
import { openApiDocument } from '../../../src/api/document.ts';

type Specification = Awaited<Parameters<OpenApiValidator['installMiddleware']>[0]>;
type Options = ConstructorParameters<typeof OpenApiValidator>[0];

const root = new URL('../../../', import.meta.url);
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
