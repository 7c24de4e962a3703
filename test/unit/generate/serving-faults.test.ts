import { glob, readFile } from 'node:fs/promises';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { DocumentError, loadDocument } from '../../../contract/document/index.ts';
import { ownErrors } from '../../../scripts/generate/error-faults.ts';
import { servingFaults } from '../../../scripts/generate/serving-faults.ts';
import { TemporaryFolder } from '../../support/temporary-folder.ts';

const authored = 'openapi/openapi.yaml';

let folder: TemporaryFolder;
let text: string;
beforeEach(async () => {
  folder = await TemporaryFolder.make();
  text = await readFile(authored, 'utf8');
});
afterEach(() => folder.remove());

/** The faults of the authored document with one text in place of another, and the number of the line changed first. */
async function faultsAfter(from: string, to: string): Promise<{ faults: string[]; line: number }> {
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

/** A text of the document, what stands in its place, and what is told of that. */
type Row = readonly [from: string, to: string, first: string, ...others: string[]];

const rows: Row[] = [
  [
    '      x-required-permission: null\n',
    '',
    'getCase has no x-required-permission; write the permission that it requires, or x-required-permission: null if none',
  ],
  [
    '      x-required-feature: null\n',
    '',
    'getCase has no x-required-feature; write the feature that it requires, or x-required-feature: null if none',
  ],
  [
    'x-required-permission: null',
    'x-required-permission: [a]',
    'x-required-permission of getCase is not a text; write the name of one permission, or null',
  ],
  [
    'x-required-permission: null',
    'x-required-permission: cases:read',
    'getCase requires a permission, and a caller with accessToken has none: each would get 403; remove this alternative, write an API key as its first credential, or write x-required-permission: null',
    "getCase does not document 403, with which a caller without the right is refused; write '403', as other operations have it",
  ],
  ...[
    ['accessToken', '- apiKey: []\n        - accessToken: []\n'],
    ['accessToken and apiKey', '- accessToken: []\n          apiKey: []\n'],
  ].map(([names = '', security = '']): Row => [
    '- apiKey: []\n',
    security,
    `getVerificationSetting requires a permission, and a caller with ${names} has none: each would get 403; remove this alternative, write an API key as its first credential, or write x-required-permission: null`,
  ]),
  [
    '      security:\n        - accessToken: []\n',
    '',
    'getCase has no security; write who may call it, such as security: [{ apiKey: [] }], or security: [] for everybody',
  ],
  [
    '      security:\n        - apiKey: []\n',
    '      security: []\n',
    "getVerificationSetting is public, so nobody's permission is known; write x-required-permission: null, or a security",
    "getVerificationSetting is public, so nobody's feature is known; write x-required-feature: null, or a security",
  ],
  [
    '        - accessToken: []\n',
    '        - accessToken: []\n        - {}\n',
    'getCase has a credential that may be left out, which is not supported; write security: [] for everybody, or remove {}',
  ],
  [
    '        x-max-body-bytes: 16384\n',
    '',
    'the request body of updateVerificationSetting has no size in x-max-body-bytes; write the largest number of bytes, such as x-max-body-bytes: 16384',
  ],
  [
    'x-max-body-bytes: 16384',
    'x-max-body-bytes: 16 KiB',
    'the request body of updateVerificationSetting has no size in x-max-body-bytes; write the largest number of bytes, such as x-max-body-bytes: 16384',
  ],
  [
    "            application/json:\n              schema:\n                $ref: '#/components/schemas/Case'\n",
    '            application/json:\n',
    "the response 200 of getCase has no schema; write one, such as $ref: '#/components/schemas/Case'",
  ],
  [
    "            schema:\n              $ref: '#/components/schemas/VerificationSettingUpdate'\n",
    '',
    "the request body of updateVerificationSetting has no schema; write one, such as $ref: '#/components/schemas/Case'",
  ],
  [
    'operationId: getCase',
    'operationId: get-case',
    'the operationId get-case is not a function name; write it in camel case, such as getCase',
  ],
  [
    'error_code: request.cases.case.not-found\n',
    'code: request.cases.case.not-found\n',
    'the example of an error (404) needs an error_code and an error_message; write both as texts',
    'request.cases.case.not-found has no example that shows it; write one, or its status and error_message under x-error-codes',
  ],
  [
    'error_message: The request body is not valid.',
    'error_message: The body is not valid.',
    'request.validation.failed has here another message than in another place (“The body is not valid.”); write the same in all, or another code',
  ],
  [
    '                error_code: service.unavailable',
    '                error_code: request.forbidden',
    'request.forbidden has here another status than in another place (“403”); write the same in all, or another code',
    'request.forbidden has here another message than in another place (“The credential lacks the permission that this operation requires.”); write the same in all, or another code',
    'service.unavailable has no example that shows it; write one, or its status and error_message under x-error-codes',
  ],
  [
    "      content:\n        application/json:\n          schema:\n            $ref: '#/components/schemas/ValidationError'\n",
    "      content:\n        application/problem+json:\n          schema:\n            $ref: '#/components/schemas/ValidationError'\n",
    'the error 400 has no application/json, in which the server sends every error; write it, with a schema and an example of error_code and error_message',
    'request.validation.failed has no example that shows it; write one, or its status and error_message under x-error-codes',
  ],
  [
    "  '431':\n    description: The header section",
    "  '418':\n    description: The header section",
    'the server responds with request.header.too-large as 431, which is not shown; write an example of it in a response 431, or its status and error_message under x-error-codes',
  ],
  [
    "        '503':\n          $ref: '#/components/responses/Unavailable'\n\n  /cases",
    "        '5XX':\n          $ref: '#/components/responses/Unavailable'\n\n  /cases",
    "updateVerificationSetting has the response 5XX, which names no status; write each status that it responds with, such as '500' and '503'",
    "updateVerificationSetting does not document 503, with which a request is refused while the service is unavailable; write '503', as other operations have it",
  ],
  [
    '            - request.malformed\n',
    '',
    'request.malformed is not in components/schemas/Error/properties/error_code/x-extensible-enum; add it there, and to the table of the introduction',
  ],
  [
    '          application/json:\n            schema:\n',
    '          application/json; charset=utf-8:\n            schema:\n',
    'the media type application/json; charset=utf-8 of updateVerificationSetting has a parameter, which no request would match; write application/json',
  ],
  ...['multipart/form-data', 'application/x-www-form-urlencoded'].map((mediaType): Row => [
    '          application/json:\n            schema:\n',
    `          ${mediaType}:\n            schema:\n`,
    `the request body of updateVerificationSetting is a form (${mediaType}), which is not supported; write application/json, or send a file as the whole body in its own media type, such as application/pdf`,
  ]),
  [
    '          application/json:\n            schema:\n',
    '          application/xml:\n            schema:\n',
    'application/xml is read as bytes, so that nothing else of its schema would be enforced; write schema: { type: string, format: binary }, and what the bytes must be in the description',
  ],
  [
    '      parameters:\n',
    '      parameters:\n        - { name: "page[size]", in: query, schema: { type: integer } }\n',
    'the query parameter page[size] has brackets in its name, which are read as the field of an object; write page_size',
    "getCase does not document 400, with which a parameter or a body that breaks its rule is refused; write '400', as other operations have it",
  ],
  [
    '      parameters:\n',
    '      parameters:\n        - { name: x, in: query, allowEmptyValue: true, schema: {} }\n',
    'the query parameter x may be empty, which is not supported; remove allowEmptyValue',
    "getCase does not document 400, with which a parameter or a body that breaks its rule is refused; write '400', as other operations have it",
  ],
  [
    "        '401':\n          $ref: '#/components/responses/InvalidAccessToken'\n",
    '',
    "getCase does not document 401, with which a request without a valid credential is refused; write '401', as other operations have it",
  ],
  [
    '    get:\n      operationId: getCase\n',
    '    head:\n      operationId: getCase\n',
    'getCase is a HEAD, which the server derives from GET; describe it as get',
  ],
  [
    '    get:\n      operationId: getCase\n',
    '    trace:\n      operationId: getCase\n',
    'getCase is a TRACE, which browsers and the client cannot send; describe it as get or post',
  ],
  [
    '    put:\n      operationId: update',
    '    get:\n      operationId: update',
    'get is repeated here; remove or rename one of the two',
    'updateVerificationSetting has a request body, which browsers and the client cannot send with GET; describe it as post, or its fields as query parameters',
  ],
  [
    'pattern: ^[a-z]+(_[a-z]+)*$',
    'pattern: ^[\\w-.]+$',
    "the pattern ^[\\w-.]+$ is not a regular expression in Unicode mode (Invalid character class); write one that new RegExp(pattern, 'u') accepts, such as ^[\\w.-]+$",
  ],
  [
    '          type: string\n          x-sensitive: true\n          nullable: true\n',
    '          nullable: true\n',
    'nullable without a type means nothing in OpenAPI 3.0; write the type beside it, or anyOf of the schema and { type: object, nullable: true, enum: [null] }',
  ],
  ...[
    [
      '{ type: object, discriminator: { propertyName: kind } }',
      'the discriminator kind has no oneOf beside it, so that its values choose no schema; write oneOf with a reference to each schema, or remove the discriminator',
    ],
    [
      '{ properties: { a: { oneOf: [{ type: object }], discriminator: { propertyName: kind } } } }',
      'this schema has no name, which would be its value of the discriminator kind; write it under components/schemas, and refer to it here',
    ],
    [
      "{ oneOf: [{ $ref: '#/components/schemas/Case' }], discriminator: { propertyName: label } }",
      'Case does not say by which label it is chosen; write label under its required, and enum: [Case] in the property',
    ],
    [
      "{ oneOf: [{ $ref: '#/components/schemas/Case' }], discriminator: { propertyName: file_analysis_status, mapping: { waiting_for_file_analysis: Case, file_analysis_complete: '#/components/schemas/Case', file: '#/components/schemas/FileSummary' } } }",
      'file chooses #/components/schemas/FileSummary, which is none of the alternatives; refer to it beside the discriminator, or remove file',
    ],
  ].map(([schema = '', message = '']): Row => [
    "            schema:\n              $ref: '#/components/schemas/VerificationSettingUpdate'\n",
    `            schema: ${schema}\n`,
    message,
  ]),
  [
    "$ref: '#/components/schemas/FileSummary'",
    "$ref: '#/components/schemas/Case/properties/case_id'",
    '#/components/schemas/Case/properties/case_id refers to a part of a component, which Dredd and the validator cannot follow; refer to a whole one, as in #/components/schemas/Case',
  ],
  [
    'operationId: updateVerificationSetting',
    'operationId: getVerificationSETTING',
    'getVerificationSETTING and getVerificationSetting have the same file, get-verification-setting.ts; give one another operationId',
  ],
];

test.each(rows.map((row) => [row[2], row] as const))(
  'it cannot be served, and is told why: %s',
  async (_first, [from, to, ...messages]) => {
    const { faults } = await faultsAfter(from, to);
    // An operation more may repeat one, or be the first that has the other message.
    const told = (fault: string) => fault.replace(/^\d+: /, '').replace(/“.*”/, '“one of the two”');
    expect(new Set(faults.map(told))).toEqual(new Set(messages.map(told)));
  },
);

test('an error of the server that is not listed either has its remedy', async () => {
  text = text.replace(/ +x-extensible-enum:\n( +- request\.\S+\n| +- service\.\S+\n)+/, '');
  const { faults } = await faultsAfter('error_code: request.forbidden', 'error_code: request.not-allowed');
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
