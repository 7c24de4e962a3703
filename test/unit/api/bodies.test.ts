import { describe, expect, test } from '@jest/globals';
import supertest from 'supertest';
import { startHarness } from '../../support/harness.ts';
import { echo, otherApi, received } from '../../support/other-api.ts';

const thing = { type: 'object', required: ['name'], properties: { name: { type: 'string' } } };
const animal = (name: string, type: string) => ({
  type: 'object',
  required: ['kind', name],
  additionalProperties: false,
  properties: { kind: { type: 'string' }, [name]: { type } },
});
/** Alternatives of a body, by the value of `kind`; a dog may have a friend of any kind. */
const kennel = {
  Cat: animal('lives', 'integer'),
  Dog: {
    ...animal('tricks', 'array'),
    properties: {
      ...animal('tricks', 'array').properties,
      friend: { oneOf: [{ $ref: '#/components/schemas/Cat' }], discriminator: { propertyName: 'kind' } },
    },
  },
};
const pet = (union: string, more: object = {}) => ({
  [union]: Object.keys(kennel).map((name) => ({ $ref: `#/components/schemas/${name}` })),
  discriminator: { propertyName: 'kind', mapping: { puppy: '#/components/schemas/Dog', dog: 'Dog' } },
  ...more,
});
const json = (schema: object) => ({ 'application/json': { schema } });
/** An operation that takes a body of this content. */
const taking = (path: string, method: string, content: object, maxBytes: number, required = true) => ({
  ...{ path, method, handler: echo },
  described: { requestBody: { description: 'A thing.', required, 'x-max-body-bytes': maxBytes, content } },
});

const closed = { type: 'object', additionalProperties: false };
const nest = { ...closed, properties: { a: { ...closed, required: ['b/~'], properties: { 'b/~': closed } } } };

const files = {
  'image/*': { schema: { type: 'string', format: 'binary' } },
  'text/csv': { schema: { type: 'string' } },
  ...json(thing),
};
const sizeOf: typeof echo = ({ body: given }) => ({
  status: 200,
  body: given instanceof Uint8Array ? { bytes: given.length } : { json: given },
});
const api = await startHarness({
  api: otherApi(
    {
      create: taking('/things', 'post', json(thing), 100),
      patch: taking('/things', 'patch', json(thing), 100, false),
      upload: { ...taking('/files', 'put', files, 20_000), handler: sizeOf },
      adopt: taking('/pets', 'post', json(pet('oneOf')), 1000),
      swap: taking('/pets', 'put', json(pet('anyOf', { type: 'object', nullable: true })), 1000),
      nest: taking('/nests', 'post', json(nest), 100),
    },
    kennel,
  ),
});

test.each([
  ['/things', 'post', 100, 200],
  ['/things', 'post', 101, 413],
  ['/files', 'put', 20_000, 200],
  ['/files', 'put', 20_001, 413],
] as const)(
  'a body is limited to what its operation documents: %s %s, %i bytes',
  async (path, method, size, status) => {
    const text = JSON.stringify({ name: '' });
    const sent = JSON.stringify({ name: 'x'.repeat(size - text.length) });
    const response = await supertest(api.server)[method](path).type('json').send(sent);
    expect(response.status).toBe(status);
  },
);

describe('bytes of a documented media type are given as they are', () => {
  const bytes = { bytes: expect.any(Number) };
  test.each([
    ...['image/png', 'text/csv', 'text/csv; charset=latin1'].map((type) => [type, 'x\u00ff', 200, bytes] as const),
    // JSON beside them is checked.
    ['application/json', '{"name":"a"}', 200, { json: { name: 'a' } }],
    ['application/json', '{"name":1}', 400, expect.anything()],
    ...['text/plain', 'application/octet-stream', 'image', '*/*'].map(
      (type) => [type, 'x', 415, expect.anything()] as const,
    ),
  ] as const)('%s %s: %d', async (type, sent, status, expected) => {
    const response = await received(supertest(api.server).put('/files').set('content-type', type).send(sent));
    expect([response.status, response.body]).toEqual([status, expected]);
  });
});

describe('a discriminator chooses the schema of a body', () => {
  test.each([
    { kind: 'Cat', lives: 9 },
    { kind: 'dog', tricks: [] },
    { kind: 'puppy', tricks: [], friend: { kind: 'Cat', lives: 9 } },
  ])('%j', async (given) => {
    expect((await supertest(api.server).post('/pets').send(given)).body).toMatchObject({ body: given });
  });

  test.each([
    ['null', ' type'],
    ['[]', ' type'],
    ['{}', 'kind required'],
    ['{"kind":1}', 'kind enum'],
    ['{"kind":"Lizard"}', 'kind enum'],
    ['{"kind":"Dog","tricks":[]}', 'kind enum'],
    ['{"kind":"Cat"}', 'lives required'],
    ['{"kind":"Cat","lives":"9","tricks":[]}', 'tricks additionalProperties, lives type'],
    ['{"kind":"dog","tricks":[],"friend":null}', 'friend type'],
    ['{"kind":"dog","tricks":[],"friend":{"kind":"dog"}}', 'friend/kind enum'],
    ['{"kind":"dog","tricks":[],"friend":{"kind":"Cat","lives":true}}', 'friend/lives type'],
  ])('and %s is refused: %s', async (sent, faults) => {
    const { status, body: refusal } = await received(supertest(api.server).post('/pets').type('json').send(sent));
    const { error_details: details } = refusal as { error_details: { errors: { field: string; rule: string }[] } };
    expect([status, details.errors.map(({ field, rule }) => `${field} ${rule}`).join(', ')]).toEqual([400, faults]);
  });

  test('unless it is null and the document allows that; where it requires none, it may be absent', async () => {
    const put = (sent: string) => received(supertest(api.server).put('/pets').type('json').send(sent));
    expect((await put('null')).body).toMatchObject({ body: null });
    expect((await put('{"kind":"Lizard"}')).status).toBe(400);
    expect((await supertest(api.server).patch('/things')).status).toBe(200);
    expect((await supertest(api.server).patch('/things').send({ name: 1 })).status).toBe(400);
  });
});

test.each([
  ['{"a/b":1}', 'a~1b'],
  ['{"a":{"b/~":{},"b":1}}', 'a/b'],
  ['{"a":{}}', 'a/b~1~0'],
  ['{"a":{"b/~":1}}', 'a/b~1~0'],
  ['{"a":{"b/~":{},"":1}}', 'a/'],
  ['{"":1}', '/'],
  ['{"/":1}', '~1'],
  ['1', ''],
])('the fault of %s is in the field %j, and in no other', async (text, field) => {
  const { body: refusal } = await received(supertest(api.server).post('/nests').type('json').send(text));
  expect(refusal).toMatchObject({ error_details: { field, errors: [{ field }] } });
});
