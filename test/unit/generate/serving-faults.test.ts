import { glob, readFile } from 'node:fs/promises';
import { afterAll, expect, test } from '@jest/globals';
import { DocumentError, loadDocument } from '../../../contract/document/index.ts';
import { ownErrors } from '../../../scripts/generate/error-faults.ts';
import { servingFaults } from '../../../scripts/generate/serving-faults.ts';
import { TemporaryFolder } from '../../support/temporary-folder.ts';

const authored = 'openapi/openapi.yaml';

const folder = await TemporaryFolder.make();
const authoredText = await readFile(authored, 'utf8');
afterAll(() => folder.remove());

/** The faults of the authored document with one text in place of another, and the number of the line changed first. */
async function faultsAfter(from: string, to: string, text = authoredText): Promise<{ faults: string[]; line: number }> {
  expect(text).toContain(from);
  const line = text.slice(0, text.indexOf(from)).split('\n').length;
  const file = await folder.write('openapi.yaml', text.replace(from, to));
  const error: unknown = await loadDocument(file, [servingFaults]).catch((reason: unknown) => reason);
  if (!(error instanceof DocumentError)) throw new Error('The document can be served.');
  return { faults: error.faults.map((fault) => fault.replace(/^.*openapi\.yaml:/, '')), line };
}

test('the authored document can be served', async () => {
  await expect(loadDocument(authored, [servingFaults])).resolves.toBeDefined();
});

/** A text of the document, what stands in its place, and what is wrong then, without what to write instead. */
type Row = readonly [from: string, to: string, first: string, ...others: string[]];

const keyOnly = '- apiKey: []\n';
const jsonBody = '          application/json:\n            schema:\n';
const bodySchema = "            schema:\n              $ref: '#/components/schemas/VerificationSettingUpdate'\n";
const validation = "application/json:\n          schema:\n            $ref: '#/components/schemas/ValidationError'\n";
const caseSchema =
  "            application/json:\n              schema:\n                $ref: '#/components/schemas/Case'\n";
const unavailable = "          $ref: '#/components/responses/Unavailable'\n\n  /cases";
const noSize = 'the request body of updateVerificationSetting has no size in x-max-body-bytes';
const no400 = 'getCase does not document 400, with which a parameter or a body that breaks its rule is refused';
const no503 =
  'updateVerificationSetting does not document 503, with which a request is refused while the service is unavailable';
const unshown = (code: string) => `${code} has no example that shows it`;
const tokenHasNone = (operation: string, names: string) =>
  `${operation} requires a permission, and a caller with ${names} has none: each would get 403`;
const operationOf = (method: string) => `    ${method}:\n      operationId: getCase\n`;
const withParameter = (text: string) => ['      parameters:\n', `      parameters:\n        - ${text}\n`] as const;
const withSchema = (text: string) => [bodySchema, `            schema: ${text}\n`] as const;
const caseRef = "{ $ref: '#/components/schemas/Case' }";
const mapping = "waiting_for_file_analysis: Case, file_analysis_complete: '#/components/schemas/Case', file: ";
const fileSummary = '#/components/schemas/FileSummary';

const rows: Row[] = [
  ['      x-required-permission: null\n', '', 'getCase has no x-required-permission'],
  ['      x-required-feature: null\n', '', 'getCase has no x-required-feature'],
  ['permission: null', 'permission: [a]', 'x-required-permission of getCase is not a text'],
  [
    ...(['permission: null', 'permission: cases:read', tokenHasNone('getCase', 'accessToken')] as const),
    'getCase does not document 403, with which a caller without the right is refused',
  ],
  [keyOnly, '- apiKey: []\n        - accessToken: []\n', tokenHasNone('getVerificationSetting', 'accessToken')],
  [
    keyOnly,
    '- accessToken: []\n          apiKey: []\n',
    tokenHasNone('getVerificationSetting', 'accessToken and apiKey'),
  ],
  ['      security:\n        - accessToken: []\n', '', 'getCase has no security'],
  [
    ...(['      security:\n        - apiKey: []\n', '      security: []\n'] as const),
    "getVerificationSetting is public, so nobody's permission is known",
    "getVerificationSetting is public, so nobody's feature is known",
  ],
  [
    '- accessToken: []\n',
    '- accessToken: []\n        - {}\n',
    'getCase has a credential that may be left out, which is not supported',
  ],
  ['        x-max-body-bytes: 16384\n', '', noSize],
  ['x-max-body-bytes: 16384', 'x-max-body-bytes: 16 KiB', noSize],
  [caseSchema, '            application/json:\n', 'the response 200 of getCase has no schema'],
  [bodySchema, '', 'the request body of updateVerificationSetting has no schema'],
  ['operationId: getCase', 'operationId: get-case', 'the operationId get-case is not a function name'],
  [
    ...(['error_code: request.cases.case.not-found\n', 'code: request.cases.case.not-found\n'] as const),
    'the example of an error (404) needs an error_code and an error_message',
    unshown('request.cases.case.not-found'),
  ],
  [
    ...(['error_message: The request body is not valid.', 'error_message: The body is not valid.'] as const),
    'request.validation.failed has here another message than in another place (“one of the two”)',
  ],
  [
    ...(['                error_code: service.unavailable', '                error_code: request.forbidden'] as const),
    'request.forbidden has here another status than in another place (“one of the two”)',
    'request.forbidden has here another message than in another place (“one of the two”)',
    unshown('service.unavailable'),
  ],
  [
    ...([validation, validation.replace('json', 'problem+json')] as const),
    'the error 400 has no application/json, in which the server sends every error',
    unshown('request.validation.failed'),
  ],
  [
    ...(["  '431':\n    description: The header", "  '418':\n    description: The header"] as const),
    'the server responds with request.header.too-large as 431, which is not shown',
  ],
  [
    ...([`        '503':\n${unavailable}`, `        '5XX':\n${unavailable}`] as const),
    'updateVerificationSetting has the response 5XX, which names no status',
    no503,
  ],
  [
    ...(['            - request.malformed\n', ''] as const),
    'request.malformed is not in components/schemas/Error/properties/error_code/x-extensible-enum',
  ],
  [
    ...([jsonBody, jsonBody.replace(':', '; charset=utf-8:')] as const),
    'the media type application/json; charset=utf-8 of updateVerificationSetting has a parameter, which no request would match',
  ],
  ...['multipart/form-data', 'application/x-www-form-urlencoded'].map((mediaType): Row => [
    ...([jsonBody, jsonBody.replace('application/json', mediaType)] as const),
    `the request body of updateVerificationSetting is a form (${mediaType}), which is not supported`,
  ]),
  [
    ...([jsonBody, jsonBody.replace('json', 'xml')] as const),
    'application/xml is read as bytes, so that nothing else of its schema would be enforced',
  ],
  [
    ...withParameter('{ name: "page[size]", in: query, schema: { type: integer } }'),
    'the query parameter page[size] has brackets in its name, which are read as the field of an object',
    no400,
  ],
  [
    ...withParameter('{ name: x, in: query, allowEmptyValue: true, schema: {} }'),
    'the query parameter x may be empty, which is not supported',
    no400,
  ],
  [
    ...(["        '401':\n          $ref: '#/components/responses/InvalidAccessToken'\n", ''] as const),
    'getCase does not document 401, with which a request without a valid credential is refused',
  ],
  [operationOf('get'), operationOf('head'), 'getCase is a HEAD, which the server derives from GET'],
  [operationOf('get'), operationOf('trace'), 'getCase is a TRACE, which browsers and the client cannot send'],
  [
    ...(['    put:\n      operationId: update', '    get:\n      operationId: update'] as const),
    'get is repeated here',
    'updateVerificationSetting has a request body, which browsers and the client cannot send with GET',
  ],
  [
    ...(['pattern: ^[a-z]+(_[a-z]+)*$', 'pattern: ^[\\w-.]+$'] as const),
    'the pattern ^[\\w-.]+$ is not a regular expression in Unicode mode (Invalid character class)',
  ],
  [
    ...(['          type: string\n          x-sensitive: true\n          nullable', '          nullable'] as const),
    'nullable without a type means nothing in OpenAPI 3.0',
  ],
  [
    ...withSchema('{ type: object, discriminator: { propertyName: kind } }'),
    'the discriminator kind has no oneOf beside it, so that its values choose no schema',
  ],
  [
    ...withSchema('{ properties: { a: { oneOf: [{ type: object }], discriminator: { propertyName: kind } } } }'),
    'this schema has no name, which would be its value of the discriminator kind',
  ],
  [
    ...withSchema(`{ oneOf: [${caseRef}], discriminator: { propertyName: label } }`),
    'Case does not say by which label it is chosen',
  ],
  [
    ...withSchema(
      `{ oneOf: [${caseRef}], discriminator: { propertyName: file_analysis_status, mapping: { ${mapping}'${fileSummary}' } } }`,
    ),
    `file chooses ${fileSummary}, which is none of the alternatives`,
  ],
  [
    ...([`$ref: '${fileSummary}'`, "$ref: '#/components/schemas/Case/properties/case_id'"] as const),
    '#/components/schemas/Case/properties/case_id refers to a part of a component, which Dredd and the validator cannot follow',
  ],
  [
    ...(['operationId: updateVerificationSetting', 'operationId: getVerificationSETTING'] as const),
    'getVerificationSETTING and getVerificationSetting have the same file, get-verification-setting.ts',
  ],
];

test.each(rows.map((row) => [row[2], row] as const))(
  'it cannot be served, and is told why, and what to write: %s',
  async (_first, [from, to, ...messages]) => {
    const { faults } = await faultsAfter(from, to);
    for (const fault of faults) expect(fault).toMatch(/; (\w+ )*?(write|remove|describe|give|refer|send|add)\b/);
    // An operation more may repeat one, or be the first that has the other message.
    const told = (fault: string) =>
      fault
        .replace(/^\d+: /, '')
        .replace(/; (?!charset).*/, '')
        .replace(/“.*”/, '“one of the two”');
    expect(new Set(faults.map(told))).toEqual(new Set(messages));
  },
);

test('an error of the server that is not listed either has its remedy', async () => {
  const text = authoredText.replace(/ +x-extensible-enum:\n( +- request\.\S+\n| +- service\.\S+\n)+/, '');
  const { faults } = await faultsAfter('error_code: request.forbidden', 'error_code: request.not-allowed', text);
  expect(faults).toEqual([
    expect.stringContaining(
      ': the server responds with request.forbidden as 403, which is not shown; write an example of it in a response 403, or its status and error_message under x-error-codes',
    ),
  ]);
});

test('the errors with which the server responds on its own are those that its code names', async () => {
  const named = new Set<string>();
  for await (const file of glob('src/api/{*,steps/*,connections/*}.ts'))
    for (const [, code = ''] of (await readFile(file, 'utf8')).matchAll(/'((?:request|service)\.[a-z.-]+)'/g))
      named.add(code);
  expect([...named].sort()).toEqual(Object.keys(ownErrors));
});

test('a fault stands at its line', async () => {
  const { faults, line } = await faultsAfter('x-max-body-bytes: 16384', 'x-max-body-bytes: 0');
  expect(faults).toEqual([expect.stringMatching(`^${line}: the request body of updateVerificationSetting`)]);
});
