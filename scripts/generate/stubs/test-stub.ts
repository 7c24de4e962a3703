import type { Operation } from '../../../contract/document/index.ts';
import { errorOf } from '../../../contract/document/document-of.ts';
import { isJson } from '../../../contract/oracle/body.ts';
import { validRequestOf } from './requests.ts';

const addData = `// Write here the data that gives this response, such as: await addCase(api.store, organisation);
    // addCaller returns the organisation too.`;

/** The tests of a documented response that depends on data, which must be filled in. */
export function testStub(operation: Operation, status: string): string {
  const { operationId, security } = operation;
  const tests = /^[45]/.test(status) ? errorTests(operation, status) : [successTest(operation, status)];
  const helpers = [...(security.length > 0 ? ['addCaller:callers'] : []), 'describeResponse:describe-response'];
  const imports = helpers.map((helper) => {
    const [name, file] = helper.split(':');
    return `import { ${name} } from '../../support/${file}.ts';`;
  });
  return `import { expect, test } from '@jest/globals';
${imports.join('\n')}

describeResponse('${operationId}', ${status}, (api) => {
${tests.join('\n\n')}
});
`;
}

/** The test of a success, whose body is expected to be the document's first example. */
function successTest(operation: Operation, status: string): string {
  const content = operation.responses[status]?.content ?? {};
  const [, json] = Object.entries(content).find(([mediaType]) => isJson(mediaType)) ?? [];
  const example = Object.values(json?.examples ?? {})[0]?.value;
  const title = `responds with ${status}`;
  if (Object.keys(content).length === 0) return testOf(operation, title, ['text', `.toEqual([${status}, ''])`]);
  if (example === undefined) return testOf(operation, title, [undefined, `.toEqual([${status}])`]);
  return testOf(operation, title, ['body', `.toEqual([${status}, ${JSON.stringify(example)}])`]);
}

/** The tests of an error that only data can provoke, one for each of its codes. */
function errorTests(operation: Operation, status: string): string[] {
  const examples = Object.values(operation.responses[status]?.content['application/json']?.examples ?? {});
  const codes = [...new Set(examples.flatMap((example) => errorOf(status, example)?.[0] ?? []))];
  if (codes.length === 0) return [testOf(operation, `responds with ${status}`, [undefined, `.toEqual([${status}])`])];
  return codes.map((code) =>
    testOf(operation, `responds with ${code}`, ['body', `.toMatchObject([${status}, { error_code: '${code}' }])`]),
  );
}

/** The code of a test of one request, and of what is expected of the response. */
function testOf(
  operation: Operation,
  title: string,
  [received, expected]: readonly ['body' | 'text' | undefined, string],
): string {
  const isPublic = operation.security.length === 0;
  const read = received === undefined ? 'status' : `status, ${received}`;
  return `  test(${JSON.stringify(title)}, async () => {
    ${isPublic ? '' : `const { headers } = await addCaller(api.store, '${operation.operationId}');`}
    ${isPublic ? '' : addData}
    const { ${read} } = await ${callOf(operation, isPublic)};
    expect([${read}])${expected};
  });`;
}

/** The code of a call with the request that the document's examples make. */
function callOf(operation: Operation, isPublic: boolean): string {
  const { method, path, headers, body } = validRequestOf(operation);
  const fields = Object.entries(headers).map(([name, text]) => `${JSON.stringify(name)}: ${JSON.stringify(text)}`);
  const allHeaders =
    fields.length === 0 ? '' : `headers: { ${[...fields, ...(isPublic ? [] : ['...headers'])].join(', ')} }`;
  const options = [
    allHeaders === '' && !isPublic ? 'headers' : allHeaders,
    body === undefined ? '' : `body: ${JSON.stringify(body)}`,
  ].filter((option) => option !== '');
  const last = options.length === 0 ? '' : `, { ${options.join(', ')} }`;
  return `api.call('${method}', ${JSON.stringify(path)}${last})`;
}
