import type { Operation } from '../../../contract/document/index.ts';
import { errorOf } from '../../../contract/document/document-of.ts';
import { isJson } from '../../../contract/oracle/body.ts';
import { validRequestOf } from './requests.ts';

const addData = `// Write here the data that gives this response, such as: await addCase(api.store, organisation);
    // addCaller returns the organisation too.`;

/** The tests of a documented response that depends on data, which must be filled in. */
export function testStub(operation: Operation, status: string): string {
  const { operationId, security } = operation;
  const isPublic = security.length === 0;
  const tests = expectationsOf(operation, status).map(
    ([title, received, expected]) => `  test(${JSON.stringify(title)}, async () => {
    ${isPublic ? '' : `const { headers } = await addCaller(api.store, '${operationId}');\n    ${addData}`}
    const { ${received} } = await ${callOf(operation)};
    expect([${received}])${expected};
  });`,
  );
  return `import { expect, test } from '@jest/globals';
${isPublic ? '' : "import { addCaller } from '../../support/callers.ts';\n"}import { describeResponse } from '../../support/describe-response.ts';

describeResponse('${operationId}', ${status}, (api) => {
${tests.join('\n\n')}
});
`;
}

/** What the tests expect: of a success the document's first example, of an error each of its codes. */
function expectationsOf(
  { responses }: Operation,
  status: string,
): [title: string, received: string, matcher: string][] {
  const content = responses[status]?.content ?? {};
  const examples = Object.entries(content).flatMap(([mediaType, media]) =>
    isJson(mediaType) ? Object.values(media.examples) : [],
  );
  const codes = new Set(examples.flatMap((example) => errorOf(status, example)?.[0] ?? []));
  if (codes.size > 0)
    return [...codes].map((code) => [
      `responds with ${code}`,
      'status, body',
      `.toMatchObject([${status}, { error_code: '${code}' }])`,
    ]);
  const title = `responds with ${status}`;
  const [example] = examples;
  if (example) return [[title, 'status, body', `.toEqual([${status}, ${JSON.stringify(example.value)}])`]];
  if (Object.keys(content).length > 0) return [[title, 'status', `.toEqual([${status}])`]];
  return [[title, 'status, text', `.toEqual([${status}, ''])`]];
}

/** The code of a call with the request that the document's examples make. */
function callOf(operation: Operation): string {
  const { method, path, headers, body } = validRequestOf(operation);
  const fields = Object.entries(headers).map(([name, text]) => `${JSON.stringify(name)}: ${JSON.stringify(text)}`);
  const given = [...fields, ...(operation.security.length === 0 ? [] : ['...headers'])].join(', ');
  const options = [
    ...(given === '' ? [] : [given === '...headers' ? 'headers' : `headers: { ${given} }`]),
    ...(body === undefined ? [] : [`body: ${JSON.stringify(body)}`]),
  ];
  const last = options.length === 0 ? '' : `, { ${options.join(', ')} }`;
  return `api.call('${method}', ${JSON.stringify(path)}${last})`;
}
