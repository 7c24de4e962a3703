import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { schemaViolations } from '../../../contract/oracle/schema.ts';
import { loadDocument } from '../../../contract/document/index.ts';
import { TemporaryFolder } from '../../support/temporary-folder.ts';

const folder = await TemporaryFolder.make();

const load = async (text: string, name = 'openapi.yaml') => loadDocument(await folder.write(name, text));
const document = (schemas: object, version = '3.1.0') =>
  JSON.stringify({ openapi: version, info: { title: 'T', version: '1' }, paths: {}, components: { schemas } });
const schemaOf = async (schema: object, version?: string) =>
  (await load(document({ S: schema }, version), 'openapi.json')).schemas['S'];

const loaded = await load(`
openapi: 3.0.3
info: { title: T, version: '1' }
security: [{ key: [] }]
paths:
  /cases/{id}/files:
    parameters:
      - { name: id, in: path, required: true, schema: { type: string } }
      - { name: limit, in: query, description: Of the path, schema: { type: integer } }
    servers: [{ url: 'https://files.example', x-region: uk }]
    get:
      operationId: listFiles
      x-required-permission: files:read
      parameters:
        - { name: limit, in: query, required: true, schema: { type: integer, default: 20 }, example: 5 }
        - { name: state, in: query, explode: false, schema: { type: array, items: { type: string } } }
        - { name: X-Trace, in: header, schema: { type: string }, examples: { one: { value: abc } } }
      responses:
        200: { description: Some, headers: { Link: { schema: { type: string } } }, content: { text/csv: { example: a } } }
        5XX: { description: None }
    post:
      operationId: addFile
      security: [{ key: [], token: [] }, { token: [] }]
      requestBody: { x-max-body-bytes: 10, content: { application/pdf: {} } }
      responses: { 204: { description: Done } }
    trace:
      operationId: open
      security: []
      requestBody: { content: {} }
      responses: { 200: { description: Done } }
components:
  securitySchemes:
    key: { type: apiKey, in: header, name: X-Key }
    token: { type: http, scheme: Bearer, description: A token }
`);

test('a document of any shape has operations with the parameters of their path, unless they have their own', () => {
  const { parameters } = loaded.operations[0] ?? {};
  expect(parameters).toEqual([
    expect.objectContaining({ name: 'id', in: 'path', style: 'simple', explode: false, required: true }),
    {
      ...{ name: 'limit', in: 'query', style: 'form', explode: true, required: true, description: '', example: 5 },
      schema: { type: 'integer', default: 20 },
    },
    expect.objectContaining({ name: 'state', explode: false, required: false }),
    expect.objectContaining({ name: 'X-Trace', in: 'header', style: 'simple', example: 'abc' }),
  ]);
  expect(loaded.operations[2]?.parameters[1]).toMatchObject({ name: 'limit', description: 'Of the path' });
});

test('a document of any shape has the alternatives of security, those of the document where an operation has none', () => {
  expect(loaded.operations.map(({ security }) => security)).toEqual([[['key']], [['key', 'token'], ['token']], []]);
  expect(loaded.securitySchemes).toEqual({
    key: { type: 'apiKey', in: 'header', name: 'X-Key', description: '' },
    token: { type: 'http', scheme: 'bearer', description: 'A token' },
  });
});

test('a document of any shape has responses with headers and media types, and bodies with their bound', () => {
  const [list, add, open] = loaded.operations;
  expect(list?.responses).toEqual({
    '200': {
      description: 'Some',
      headers: { Link: { required: false, schema: { type: 'string' } } },
      content: { 'text/csv': { schema: {}, examples: { example: { value: 'a' } }, partTypes: {} } },
    },
    '5XX': { description: 'None', headers: {}, content: {} },
  });
  expect(add?.requestBody).toMatchObject({ required: false, maxBytes: 10, content: { 'application/pdf': {} } });
  expect(open?.requestBody?.maxBytes).toBe(Infinity);
  expect(list?.servers).toEqual([{ url: 'https://files.example', description: '', region: 'uk' }]);
});

test('references lead to other files, and schemas may contain themselves', async () => {
  await folder.write('tree.json', '{ "type": "object", "properties": { "children": { "items": { "$ref": "#" } } } }');
  await folder.write(
    'paths.yaml',
    'trees: { get: { operationId: getTree, responses: { $ref: "#/all" } } }\nall: { 200: { description: Done } }',
  );
  const { operations, schemas } = await load(`
openapi: 3.0.3
info: { title: T, version: '1' }
paths: { /trees: { $ref: 'paths.yaml#/trees' } }
components: { schemas: { Tree: { $ref: tree.json }, Wood: { $ref: '#/components/schemas/Tree' } } }
`);
  expect(operations[0]).toMatchObject({ operationId: 'getTree', responses: { '200': { description: 'Done' } } });
  expect(schemas['Tree']?.properties?.['children']?.items).toBe(schemas['Tree']);
  expect(schemas['Wood']).toBe(schemas['Tree']);
});

const nullOnly = { anyOf: [{ enum: [null] }] };
test.each([
  ['{ type: [string, "null"] }', { type: 'string', nullable: true }],
  ['{ type: [string, integer] }', { allOf: [{ anyOf: [{ type: 'string' }, { type: 'integer' }] }] }],
  [
    '{ type: ["null", string, integer] }',
    { allOf: [{ anyOf: [{ type: 'string' }, { type: 'integer' }, { enum: [null] }] }] },
  ],
  ['{ oneOf: [{ type: string }, { type: "null" }] }', { oneOf: [{ type: 'string' }, { allOf: [nullOnly] }] }],
  ['{ exclusiveMinimum: 1, maximum: 9 }', { minimum: 1, exclusiveMinimum: true, maximum: 9 }],
  ['{ exclusiveMinimum: 1, minimum: 5 }', { minimum: 5, exclusiveMinimum: false }],
  ['{ exclusiveMaximum: 9, maximum: 20 }', { maximum: 9, exclusiveMaximum: true }],
  ['{ const: a }', { enum: ['a'] }],
  ['{ examples: [a, b] }', { example: 'a' }],
  ['{ properties: { a: { const: 1 } }, items: true }', { properties: { a: { enum: [1] } }, items: {} }],
  ['{ additionalProperties: false }', { additionalProperties: false }],
])('the schema %s of OpenAPI 3.1 gets the form of 3.0', async (schema, expected) => {
  expect(await schemaOf(parse(schema) as object)).toEqual(expected);
});

test('a schema of OpenAPI 3.0 stays as it is', async () => {
  const schema = { type: 'number', exclusiveMinimum: true, minimum: 1, nullable: true };
  expect(await schemaOf(schema, '3.0.3')).toEqual(schema);
});

test('a keyword without a value counts as absent, and a name without one has nothing in it', async () => {
  const { operations, securitySchemes } = await load(`
openapi: 3.1.0
info: { title: T, version: '1', description: }
servers:
security: [{ key: }]
paths:
  /a:
    parameters:
    post:
      parameters: [{ name: q, in: query, schema: , example: }]
      requestBody: { content: { application/json: } }
      responses:
        '200':
        '400': { headers: { X-A: }, content: { application/json: { schema: , example: } } }
        '404': { content: { application/json: { schema: { properties: { a: }, items: , default: , enum: [null] } } } }
    get: null
  /b:
components:
  securitySchemes: { key: { type: apiKey, in: header, name: X-Key }, other: }
`);
  const [{ parameters, requestBody, responses, security } = {}] = operations;
  const content = (schema: object, examples = {}) => ({ 'application/json': { schema, examples, partTypes: {} } });
  expect(operations).toHaveLength(1);
  expect(security).toEqual([['key']]);
  expect(Object.keys(securitySchemes)).toEqual(['key']);
  expect(parameters).toEqual([expect.objectContaining({ name: 'q', schema: {} })]);
  expect(requestBody?.content).toEqual(content({}));
  expect(responses).toEqual({
    '200': { description: '', headers: {}, content: {} },
    '400': {
      description: '',
      headers: { 'X-A': { required: false, schema: {} } },
      content: content({}, { example: { value: null } }),
    },
    '404': { description: '', headers: {}, content: content({ properties: { a: {} }, default: null, enum: [null] }) },
  });
});

test.each<[what: string, schemas: object, valid: unknown, invalid: unknown]>([
  [
    'within a schema with an $id',
    {
      S: {
        $id: 'https://example.com/s.json',
        properties: { a: { $ref: '#/$defs/A' }, b: { $ref: 'b.json#/properties/x' } },
        $defs: { A: { type: 'integer' } },
      },
      B: { $id: 'https://example.com/b.json', properties: { x: { type: 'boolean' } } },
    },
    { a: 1, b: true },
    { a: 1, b: 1 },
  ],
  [
    'to an $anchor',
    { S: { properties: { a: { $ref: '#here' } } }, A: { $anchor: 'here', type: 'integer' } },
    { a: 1 },
    { a: 'x' },
  ],
  [
    'to the only $dynamicAnchor of its name',
    { S: { $dynamicAnchor: 'node', type: 'object', properties: { a: { items: { $dynamicRef: '#node' } } } } },
    { a: [{ a: [{}] }] },
    { a: [{ a: [1] }] },
  ],
  [
    'to one of several, which accepts anything',
    {
      S: { $ref: '#/components/schemas/List', $defs: { T: { $dynamicAnchor: 'T', type: 'string' } } },
      List: { type: 'array', items: { $dynamicRef: '#T' }, $defs: { T: { $dynamicAnchor: 'T', not: {} } } },
    },
    ['a'],
    {},
  ],
  [
    'to a $dynamicAnchor from beside it',
    {
      S: {
        $dynamicAnchor: 'n',
        allOf: [{ $dynamicRef: '#m' }],
        $defs: { m: { $dynamicAnchor: 'm', required: ['a'] } },
      },
    },
    { a: 1 },
    {},
  ],
  [
    'to the beginning, which accepts anything',
    { S: { type: 'object', additionalProperties: { $dynamicRef: '#' } } },
    { a: 1 },
    1,
  ],
  [
    'to its own beginning',
    { S: { $id: 'https://example.com/s', type: 'object', additionalProperties: { $recursiveRef: '#' } } },
    { a: { b: {} } },
    { a: 1 },
  ],
])('a reference of JSON Schema leads somewhere: %s', async (_what, schemas, valid, invalid) => {
  const { S } = (await load(document(schemas), 'openapi.json')).schemas;
  expect(S && schemaViolations('it', S, valid, true)).toEqual([]);
  expect(S && schemaViolations('it', S, invalid, true)).not.toEqual([]);
});

test('a reference may lead through another one, and a description beside it replaces that which it refers to', async () => {
  const described = { type: 'integer', description: 'B' };
  const { S, D } = (
    await load(
      document({
        S: { $ref: '#/components/schemas/A/properties/b' },
        D: { $ref: '#/components/schemas/A/properties/b', description: 'D' },
        A: { $ref: '#/components/schemas/B' },
        B: { properties: { b: described } },
      }),
      'openapi.json',
    )
  ).schemas;
  expect([S, D]).toEqual([described, { ...described, description: 'D' }]);
});

test('of paths that differ only in the names of parameters, the first counts', async () => {
  const path = (name: string) => ({
    get: { parameters: [{ name, in: 'path', required: true, schema: {} }], responses: {} },
  });
  const { operations, warnings } = await load(
    JSON.stringify({
      openapi: '3.0.3',
      info: { title: 'T', version: '1' },
      paths: { '/a/{x}': path('x'), '/a/{y}': path('y'), '/a/b': { get: { responses: {} } } },
    }),
  );
  expect(operations.map((operation) => operation.path)).toEqual(['/a/{x}', '/a/b']);
  expect(warnings).toEqual([expect.stringMatching(/openapi\.yaml: \/a\/\{y\} and .*; \/a\/\{y\} is left out$/)]);
});

const others = await load(`
openapi: 3.1.0
info: { title: T, version: '1' }
paths:
  /cases/{id}:
    get: { security: [{ oauth: [a] }], parameters: [{ $ref: '#/components/parameters/Id' }], responses: {} }
  /cases/{id}.json:
    get: { security: [{ basic: [] }], parameters: [{ $ref: '#/components/parameters/Id' }] }
  /cases:
    get:
      operationId: getCases
      parameters:
        - { name: filter, in: query, style: deepObject, schema: { type: object }, example: { a: 1 } }
        - { name: sort, in: query, required: true, content: { application/json: { schema: { type: array } } } }
components:
  parameters:
    Id: { name: id, in: path, required: true, style: label, schema: { type: string, format: uuid } }
  securitySchemes:
    oauth: { type: oauth2, flows: {} }
    openid: { type: openIdConnect, openIdConnectUrl: 'https://id.example' }
    basic: { type: http, scheme: basic }
    cookie: { type: apiKey, in: cookie, name: id }
`);

test('a document that was written by others has names for its operations, and its credentials; those of OAuth 2 are bearer tokens', () => {
  expect(others.operations.map(({ operationId }) => operationId)).toEqual(['getCases2', 'getCasesJson', 'getCases']);
  const bearer = { type: 'http', scheme: 'bearer', description: '' };
  expect(others.securitySchemes).toEqual({
    oauth: bearer,
    openid: bearer,
    basic: { ...bearer, scheme: 'basic' },
    cookie: { type: 'apiKey', in: 'cookie', name: 'id', description: '' },
  });
  expect(others.operations[1]?.security).toEqual([['basic']]);
});

test('a document that was written by others has parameters in other styles, and says nothing of the value of one described by content', () => {
  const [id, , filter, sort] = others.operations.flatMap(({ parameters }) => parameters);
  expect(id).toMatchObject({ style: 'label', schema: { type: 'string', format: 'uuid' } });
  expect(filter).toMatchObject({ style: 'deepObject', example: { a: 1 } });
  expect(sort?.schema).toEqual({});
});
