import { isJson } from '../../../contract/oracle/body.ts';
import type { Operation } from '../../../contract/document/index.ts';
import { errorOf } from '../../../contract/document/document-of.ts';
import type { Stub, StubWriter } from './stub-writer.ts';

/** The source of a handler stub. */
export function handlerStub({ operationId, summary }: Operation): string {
  return `import { NotImplementedError, type OperationHandler } from '../operation.ts';

/** ${summary.replaceAll('*/', '* /').replace(/\.?$/, '.')} */
export const ${operationId}: OperationHandler<'${operationId}'> = () => {
  throw new NotImplementedError('${operationId}');
};
`;
}

const addData = `// Write here the data that gives this response, such as: await addCase(api.store, organisation);
      // addCaller returns the organisation too.`;

/** The tests of a success, whose body is expected to be the document's first example. */
export function responseStub(writer: StubWriter): Stub {
  const { operation, status } = writer;
  const content = operation.responses[status]?.content ?? {};
  const isEmpty = Object.keys(content).length === 0;
  const [, json] = Object.entries(content).find(([mediaType]) => isJson(mediaType)) ?? [];
  const example = Object.values(json?.examples ?? {})[0]?.value;
  const [read, expected] = isEmpty ? ['text', `''`] : ['body', JSON.stringify(example)];
  const isCompared = isEmpty || example !== undefined;
  return {
    tests: `test('responds with ${status}', async () => {
      ${callerWithData(writer)}
      const { status${isCompared ? `, ${read}` : ''} } = await ${writer.call(writer.scheme ? { headers: 'headers' } : {})};
      ${isCompared ? `expect([status, ${read}]).toEqual([${status}, ${expected}]);` : `expect(status).toBe(${status});`}
    });`,
  };
}

/** The tests of an error that only data can provoke, one for each of its codes. */
export function errorStub(writer: StubWriter): Stub {
  const { operation, status } = writer;
  const examples = Object.values(operation.responses[status]?.content['application/json']?.examples ?? {});
  const codes = [...new Set(examples.flatMap((example) => errorOf(status, example)?.[0] ?? []))];
  const tests = codes.map(
    (code) => `test('responds with ${code}', async () => {
      ${callerWithData(writer)}
      const { status, body } = await ${writer.call(writer.scheme ? { headers: 'headers' } : {})};
      expect([status, body]).toMatchObject([${status}, { error_code: '${code}' }]);
    });`,
  );
  if (tests.length > 0) return { tests: tests.join('\n\n') };
  return {
    tests: `test('responds with ${status}', async () => {
      ${callerWithData(writer)}
      const { status } = await ${writer.call(writer.scheme ? { headers: 'headers' } : {})};
      expect(status).toBe(${status});
    });`,
  };
}

function callerWithData(writer: StubWriter): string {
  return writer.scheme ? `${writer.caller('headers')}\n${addData}` : '';
}
