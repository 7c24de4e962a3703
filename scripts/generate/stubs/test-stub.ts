import type { ApiDocument, Operation, Parameter, Schema } from '../../../contract/document/index.ts';
import { isJson } from '../../../contract/oracle/body.ts';
import { errorOf } from '../../../contract/document/document-of.ts';
import { type RequestTest, type Stub, StubWriter, validRequestOf } from './stub-writer.ts';

/** The tests that can be derived from the document, by status. */
const derived: Readonly<Record<string, (writer: StubWriter) => Stub | undefined>> = {
  400: invalidRequest,
  401: refusedCredentials,
  403: forbidden,
  413: tooLarge,
  415: unsupportedMediaType,
  429: exhaustedLimit,
  500: (writer) => failing(writer, (call) => `testUnexpectedError(api, ${call});`),
  503: (writer) => failing(writer, (call) => `testUnavailable(${call});`),
};

const invalidToken = 'request.authentication.invalid-token';

/** The tests of one documented response. What the document does not say, such as data, must be filled in. */
export function testStub(operation: Operation, status: string, schemes: ApiDocument['securitySchemes']): string {
  const writer = new StubWriter(operation, status, schemes);
  const isError = /^[45]/.test(status);
  const stub = derived[status]?.(writer) ?? (isError ? errorStub(writer) : responseStub(writer));
  return writer.file(stub);
}

/** The test of a success, whose body is expected to be the document's first example. */
function responseStub(writer: StubWriter): Stub {
  const content = writer.operation.responses[writer.status]?.content ?? {};
  const [, json] = Object.entries(content).find(([mediaType]) => isJson(mediaType)) ?? [];
  const example = Object.values(json?.examples ?? {})[0]?.value;
  const equals: RequestTest['equals'] =
    Object.keys(content).length === 0 ? ['text', `''`] : ['body', JSON.stringify(example)];
  const isCompared = equals[0] === 'text' || example !== undefined;
  const title = `responds with ${writer.status}`;
  return { tests: writer.test(title, { needsData: true, ...(isCompared && { equals }) }) };
}

/** The tests of an error that only data can provoke, one for each of its codes. */
function errorStub(writer: StubWriter): Stub {
  const { operation, status } = writer;
  const examples = Object.values(operation.responses[status]?.content['application/json']?.examples ?? {});
  const codes = [...new Set(examples.flatMap((example) => errorOf(status, example)?.[0] ?? []))];
  const tests = codes.map((code) => writer.test(`responds with ${code}`, { needsData: true, code }));
  return { tests: tests.join('\n\n') || writer.test(`responds with ${status}`, { needsData: true }) };
}

function refusedCredentials(writer: StubWriter): Stub | undefined {
  const { scheme, kind } = writer;
  if (!scheme) return undefined;
  if (writer.needsSeveral)
    return { tests: writer.test('refuses a request without credentials', { code: invalidToken, anonymous: true }) };
  return {
    tests: `testRefusedCredentials(api, {
      kind: '${kind}',
      call: (headers) => ${writer.call({ headers: 'headers' })},
      present: (secret) => (${writer.presented('secret')}),
    });`,
  };
}

function forbidden(writer: StubWriter): Stub | undefined {
  const { requiredPermission, requiredFeature } = writer.operation;
  const rights = [
    { right: 'permission', required: requiredPermission, code: 'request.forbidden' },
    { right: 'feature', required: requiredFeature, code: 'request.organisations.feature-flag.not-enabled' },
  ];
  const tests = rights
    .filter(({ required }) => required !== null)
    .map(({ right, code }) =>
      writer.test(`refuses a caller without the ${right} that is required`, { caller: `'${right}'`, code }),
    );
  return tests.length > 0 ? { tests: tests.join('\n\n') } : undefined;
}

function tooLarge(writer: StubWriter): Stub | undefined {
  const { requestBody } = writer.operation;
  if (!requestBody || !Number.isFinite(requestBody.maxBytes)) return undefined;
  return {
    tests: writer.test('refuses a body of one byte too many', {
      code: 'request.body.too-large',
      body: `' '.repeat(${requestBody.maxBytes} + 1)`,
      headers: { 'content-type': Object.keys(requestBody.content)[0] ?? '' },
    }),
  };
}

function unsupportedMediaType(writer: StubWriter): Stub | undefined {
  if (!writer.operation.requestBody) return undefined;
  return {
    tests: writer.test('refuses a body of another media type', {
      code: 'request.media-type.unsupported',
      body: `'x'`,
      headers: { 'content-type': 'text/x-unsupported' },
    }),
  };
}

function invalidRequest(writer: StubWriter): Stub | undefined {
  const { requestBody, parameters } = writer.operation;
  const tests: string[] = [];
  const code = 'request.validation.failed';
  const json = Object.keys(requestBody?.content ?? {}).find(isJson);
  if (json !== undefined)
    tests.push(
      writer.test('refuses a body that is not JSON', { code, body: `'{'`, headers: { 'content-type': json } }),
    );
  else if (requestBody?.required === true)
    tests.push(writer.test('refuses a request without a body', { code, body: `''` }));
  for (const parameter of parameters) {
    const { name, in: place } = parameter;
    if (isLimited(parameter.schema.items ?? parameter.schema))
      tests.push(
        writer.test(`refuses a value that the ${place} parameter ${name} cannot have`, {
          code,
          ...withValue(writer, parameter, 'no-such-value'),
        }),
      );
  }
  return tests.length > 0 ? { tests: tests.join('\n\n') } : undefined;
}

/** Whether some texts are invalid values. */
function isLimited({ enum: values, type = '' }: Schema): boolean {
  return values !== undefined || ['integer', 'number', 'boolean'].includes(type);
}

function withValue({ operation }: StubWriter, { name, in: place }: Parameter, value: string): Partial<RequestTest> {
  if (place === 'header') return { headers: { [name]: value } };
  if (place === 'query') return { query: `${encodeURIComponent(name)}=${value}` };
  const path = operation.path.replace(`{${name}}`, value);
  return { path: validRequestOf({ ...operation, path }).path };
}

function exhaustedLimit(writer: StubWriter): Stub {
  if (!writer.scheme || writer.needsSeveral)
    return {
      tests: `test('refuses the third request of a quota of two', async () => {
      ${writer.caller('headers')}
      const statuses: number[] = [];
      for (let index = 0; index < 3; index += 1)
        statuses.push((await ${writer.call(writer.scheme ? { headers: 'headers' } : {})}).status);
      expect(statuses[1]).not.toBe(429);
      expect(statuses[2]).toBe(429);
    });`,
      options: `{ rateLimits: { ${writer.scheme ? 'requests' : 'publicRequests'}: 2 } }`,
    };
  return {
    tests: `testExhaustedLimit(
      (secret) => ${writer.call({ headers: writer.presented('secret') })},
      async () => (await addCaller(api.store, '${writer.operation.operationId}')).secret,
    );`,
    options: 'smallLimits',
  };
}

/** An unknown credential is enough: the server fails before it is looked up. */
function failing(writer: StubWriter, testsOf: (call: string) => string): Stub {
  if (!writer.scheme) return { tests: testsOf(`() => ${writer.call({})}`), options: 'failingService' };
  const headers = writer.presented(`generateSecret('${writer.kind}', 'uk')`);
  return { tests: testsOf(`() => ${writer.call({ headers })}`), options: 'failingService' };
}
