/** What is wrong with a document, with the line and what to write instead. */
import { relative } from 'node:path';
import { expect, test } from '@jest/globals';
import { DocumentError, loadDocument } from '../../../contract/document/index.ts';
import { TemporaryFolder } from '../../support/temporary-folder.ts';
import { linkFaults } from '../../../contract/document/load-document.ts';
import { apiOf } from './fixture.ts';

const sound = `openapi: 3.0.3
info:
  title: T
  version: '1'
paths:
  /cases/{id}:
    get:
      operationId: getCase
      parameters:
        - name: id
          in: path
          required: true
          schema: { type: string }
      responses:
        '200': { $ref: '#/components/responses/Case' }
components:
  responses:
    Case: { description: A case }
`;

const folder = await TemporaryFolder.make();

/** Puts a text in place of another one. `<-` stands in the line of the fault, before what is told of it. */
function changed(from: string, to: string): string {
  expect(sound).toContain(from);
  return sound.replace(from, to);
}

/** With further paths, or parameters of getCase. */
const withPath = (text: string) => changed('components:\n', `  ${text}\ncomponents:\n`);
const withParameter = (text: string) => changed('        - name: id\n', `        - ${text}\n        - name: id\n`);

async function faultsOf(text: string): Promise<{ faults: readonly string[]; line: number }> {
  const file = await folder.write('openapi.yaml', text);
  const name = relative(process.cwd(), file);
  const line = text.split('\n').findIndex((each) => each.includes('# <-')) + 1;
  const error: unknown = await loadDocument(file).catch((reason: unknown) => reason);
  if (!(error instanceof DocumentError)) throw new Error('The document has no faults.');
  expect(error.message).toBe(error.faults.join('\n'));
  return { faults: error.faults.map((fault) => fault.replace(`${name}:`, '')), line };
}

test.each([
  ['as it is', sound],
  ['with an extension beside its statuses', changed("        '200':", "        x-any: 1\n        '200':")],
])('a sound document %s has no faults', async (_title, text) => {
  const file = await folder.write('openapi.yaml', text);
  await expect(loadDocument(file)).resolves.toMatchObject({ title: 'T' });
});

const rows = [
  withPath(
    '/other:\n    get:\n      operationId: getCase # <- the operationId getCase is that of GET /cases/{id} too; give each operation its own\n      responses: { default: { description: x } }',
  ),
  withPath(
    '/cases/{id}: # <- /cases/{id} is repeated here; remove or rename one of the two\n    parameters: [{ name: id, in: path, required: true, schema: {} }]',
  ),
  changed('schema: { type: string }', 'schema: *text # <- *text has no anchor above it; write &text before it').replace(
    'Case: {',
    'Case: &text {',
  ),
  changed(
    "'200': { $ref: '#/components/responses/Case' }",
    "'200': { $ref: '#/components/responses/Cass' } # <- #/components/responses/Cass leads nowhere: there is no Cass; let $ref name what is there",
  ),
  changed(
    'Case: { description: A case }',
    "Case: { $ref: '#/components/responses/Case' } # <- the reference #/components/responses/Case leads to itself; let it refer to what it is to stand for",
  ),
  changed(
    '- name: id\n          in: path\n          required: true',
    '- name: id # <- the path parameter id is not required; write required: true, as OpenAPI demands\n          in: path',
  ),
  changed(
    '    get:\n      operationId: getCase\n      parameters:\n        - name: id\n          in: path\n          required: true\n          schema: { type: string }\n',
    '    get: # <- getCase does not describe the path parameter id; write it under parameters, with in: path and required: true\n      operationId: getCase\n',
  ),
  withParameter(
    '{ name: key, in: path, required: true, schema: {} } # <- the path parameter key is not in the path /cases/{id}; write {key} in the path, or remove it',
  ),
  changed(
    '      responses:\n        ',
    '        - { name: id, in: path, required: true, schema: {} } # <- the path parameter id is listed twice; remove or rename one of the two\n      responses:\n        ',
  ),
  changed(
    '      operationId: getCase\n',
    '      operationId: getCase\n      security: [{ key: [] }] # <- the security scheme key is not described; write it under components/securitySchemes, or name one of those: none\n',
  ),
  ...['ok', '2000', 'is200'].map((status) =>
    changed(
      "        '200':",
      `        '${status}': { description: x } # <- ${status} is not a status; write one such as '404', a range such as '5XX', or default\n        '200':`,
    ),
  ),
  withPath('things: {} # <- the path things does not begin with a slash; write /things'),
  changed('{id}:', '{id}/{id}: # <- /cases/{id}/{id} has {id} twice; give each parameter its own name'),
  ...['{ in: query, schema: {} }', '{ name: key, schema: {} }', '{ name: key, in: body, schema: {} }'].map(
    (parameter) =>
      withParameter(
        `${parameter} # <- a parameter needs a name, and \`in\` as path, query, header or cookie; write both`,
      ),
  ),
  changed(
    '    get:\n',
    '    parameters:\n      - { name: key, in: path, required: true, schema: {} } # <- the path parameter key is not in the path /cases/{id}; write {key} in the path, or remove it\n    put: { operationId: putCase, parameters: [{ name: id, in: path, required: true, schema: {} }], responses: { 204: { description: x } } }\n    get:\n',
  ),
  changed('3.0.3', '2.0.0 # <- this is not an OpenAPI 3.0 or 3.1 document; write openapi: 3.0.3'),
  changed("version: '1'", 'version: 1 # <- info.version is missing or not a text; write it in quotes'),
];

test.each(rows.map((text) => [/# <- (.*)/.exec(text)?.[1], text] as const))(
  'a fault is told with its line and what to write instead: %s',
  async (message, text) => {
    const { faults, line } = await faultsOf(text);
    expect(faults).toEqual([`${line}: ${message}`]);
  },
);

test('all faults are told at once, in the order of their lines, and in the files where they stand', async () => {
  await folder.write('parts.yaml', 'case:\n  get:\n    responses: { is200: { description: x } }\n');
  const { faults } = await faultsOf(
    changed('components:\n', '  /parts: { $ref: parts.yaml#/case }\n  more: { get: {} }\ncomponents:\n').replace(
      "'200'",
      'is200',
    ),
  );
  expect(faults.map((fault) => fault.replace(/^\S*parts/, 'parts').replace(/;.*/, ''))).toEqual([
    '15: is200 is not a status',
    '17: the path more does not begin with a slash',
    'parts.yaml:3: is200 is not a status',
  ]);
});

test.each([
  ['paths: [', /:1: .*; correct the syntax$/],
  ['paths: { a: 1, a: 2 }', /:1: a is repeated here/],
  ['', /:1: this is not an OpenAPI 3\.0 or 3\.1 document/],
  ['info:\n  title: T\nswagger: "2.0"\n', /:3: this is a Swagger 2\.0 document; convert it to OpenAPI 3\.0 or 3\.1$/],
])('a file of %p is refused', async (text, message) => {
  const file = await folder.write('openapi.yaml', text);
  await expect(loadDocument(file)).rejects.toThrow(message);
});

test('a file that cannot be read is refused, and so is one that another refers to', async () => {
  const { faults } = await faultsOf(changed('Case: { description: A case }', 'Case: { $ref: none.yaml } # <-'));
  const told =
    /^\d+: the reference cannot be followed \(.*none\.yaml: ENOENT.*\); let \$ref name a file that can be read$/;
  expect(faults).toEqual([expect.stringMatching(told)]);
  await expect(loadDocument('none.yaml')).rejects.toThrow(/^none\.yaml:1: .* \(ENOENT.*\); name another file$/);
});

test.each<[link: object, faults: string[]]>([
  [{ operationId: 'addBook' }, []],
  [{ operationRef: '#/paths/~1books/post' }, []],
  [{ operationId: 'getBooks' }, ['the link next of addBook 201 leads to no operation (getBooks)']],
  [{}, ['the link next of addBook 201 leads to no operation (none is named)']],
])('the link %j has the faults %j', (link, faults) => {
  const responses = { 201: { description: 'Done.', links: { next: link } } };
  expect(linkFaults(apiOf({ '/books': { post: { operationId: 'addBook', responses } } }))).toEqual(faults);
});
