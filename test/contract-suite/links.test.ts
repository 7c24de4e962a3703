/** Links of a document: a server that conforms passes, one whose links lead astray fails. */
import type { RequestListener } from 'node:http';
import { json as jsonOf } from 'node:stream/consumers';
import { expect, test } from '@jest/globals';
import { documentOf } from '../../contract/document/index.ts';
import { eachRun, reportOn, targetAt } from '../support/contract.ts';

const text = { type: 'string', minLength: 1, maxLength: 20 };
const order = { type: 'object', required: ['id', 'customer'], properties: { id: text, customer: text } };
const position = { type: 'object', required: ['order_id'], properties: { order_id: text } };
const of = (schema: object, links = {}) => ({ description: 'OK', content: { 'application/json': { schema } }, links });
const none = { description: 'None' };
const parameter = (place: string, name: string) => ({ name, in: place, required: true, schema: text });

const number = parameter('path', 'number');
const links = {
  order: { operationId: 'getOrder', parameters: { number: '$response.body#/id' } },
  positions: { operationRef: '#/paths/~1positions/get', parameters: { 'query.order_id': '$response.body#/id' } },
  bill: { operationId: 'addBill', requestBody: '$request.body#/customer' },
};

const orders = (added = links as object) => ({
  openapi: '3.0.3',
  info: { title: 'Orders', version: '1' },
  paths: {
    '/orders': {
      post: {
        operationId: 'addOrder',
        requestBody: { content: { 'application/json': { schema: { ...order, required: ['customer'] } } } },
        responses: { 201: of(order, added) },
      },
    },
    '/archive/{number}': {
      get: { operationId: 'getOrder', parameters: [number], responses: { 200: of(order), 404: none } },
    },
    '/positions': {
      get: {
        operationId: 'listPositions',
        parameters: [parameter('query', 'order_id')],
        responses: { 200: of({ type: 'array', items: position }), 404: none },
      },
    },
    '/bills': {
      post: {
        operationId: 'addBill',
        requestBody: { content: { 'application/json': { schema: text } } },
        responses: { 201: { description: 'Done' }, 422: none },
      },
    },
  },
});

type Fault = 'order is lost' | 'positions of another' | 'bill is refused';

const run = eachRun();

/** Checks the links of a document on a server. */
async function checked(document: object, fault?: Fault) {
  const target = targetAt(await run.serve(orderServer(fault)));
  return reportOn(target, { document: documentOf(document), selection: { only: ['*.links'], skip: [] } });
}

function orderServer(fault?: Fault): RequestListener {
  const customers: string[] = [];
  return (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
    const end = (status: number, body?: unknown) =>
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
    const customer = customers[Number(pathname.split('/')[2])];
    const number = searchParams.get('order_id') ?? '';
    if (request.method === 'POST')
      void jsonOf(request).then((body) => {
        if (pathname === '/orders') {
          customers.push((body as { customer: string }).customer);
          end(201, { id: String(customers.length - 1), customer: customers.at(-1) });
        } else response.writeHead(customers.includes(body as string) && fault !== 'bill is refused' ? 201 : 422).end();
      });
    else if (pathname === '/positions')
      end(customers[Number(number)] === undefined ? 404 : 200, [
        { order_id: fault === 'positions of another' ? 'x' : number },
      ]);
    else if (customer === undefined || fault === 'order is lost') response.writeHead(404).end();
    else end(200, { id: pathname.split('/')[2], customer });
  };
}

test.each<[fault: Fault | undefined, found: RegExp | undefined]>([
  [undefined, undefined],
  ['order is lost', /^the link order leads to 404, expected 200/],
  ['positions of another', /^the link positions with query\.order_id "\d+" leads to "x"/],
  ['bill is refused', /^the link bill leads to 422, expected 201/],
])('a server of which %s', async (fault, found) => {
  const { results } = await checked(orders(), fault);
  const result = results.find(({ check }) => check.id === 'generated.addOrder.relation.links');
  expect([result?.outcome, result?.reason]).toEqual([found ? 'failed' : 'passed', undefined]);
  if (found) expect(result?.failures[0]?.message).toMatch(found);
});

test('wrong links are not followed', async () => {
  const wrong = {
    astray: { operationId: 'getOrders' },
    order: { operationId: 'getOrder', parameters: { id: '$response.body#/id', number: '$response.text' } },
  };
  const { results } = await checked(orders(wrong));
  const reasons = results.filter(({ check }) => check.id.endsWith('.links')).map(({ reason }) => reason);
  expect(reasons).toEqual(['missing: a response with the values of its links']);
});
