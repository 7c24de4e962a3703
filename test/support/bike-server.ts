/** A server of the document test/contract-suite/documents/bikes, which conforms to it unless a deviation is planted. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { parsed } from '../../contract/oracle/json.ts';

export const bikeKey = 'a-key-of-the-bike-shop';
export const bikeId = '3f2c1b6a-8a37-4d52-9d7e-0c4f6a1b2e3d';

export interface BikeRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface BikeResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** Makes another response of the right one. */
export type Deviation = (right: BikeResponse, request: BikeRequest) => BikeResponse;

type Bikes = Map<string, object>;

const plain = { id: bikeId, kind: 'plain', name: 'Pia', tags: ['city'], built: null, gears: 7 };
const problem = (status: number): BikeResponse => ({
  status,
  headers: { 'Content-Type': 'application/problem+json' },
  body: { title: 'no' },
});

export function bikeHandler(deviate: Deviation = (right) => right): RequestListener {
  const bikes: Bikes = new Map([[bikeId, plain]]);
  return (request, response) => void respond(request, response, bikes, deviate);
}

async function respond(incoming: IncomingMessage, response: ServerResponse, bikes: Bikes, deviate: Deviation) {
  const { pathname, searchParams: query } = new URL(incoming.url ?? '', 'http://bikes');
  const { method = '', headers } = incoming;
  const request = { method, path: pathname, query, headers, body: await text(incoming) };
  const { status, headers: sent = {}, body } = deviate(respondTo(request, bikes), request);
  const content = body !== undefined ? { 'Content-Type': 'application/json' } : {};
  response.writeHead(status, { ...content, ...sent });
  response.end(body && JSON.stringify(body));
}

function respondTo(request: BikeRequest, bikes: Bikes): BikeResponse {
  const { method, path, query } = request;
  if (path === '/parts')
    return method === 'GET'
      ? { status: 200, body: { name: 'bike', parts: [{ name: 'wheel', parts: [{ name: 'spoke' }] }] } }
      : problem(405);
  const id = /^\/bikes\/(.+)$/.exec(path)?.[1];
  if (path !== '/bikes' && id === undefined) return problem(404);
  if (query.get('api_key') !== bikeKey) return problem(401);
  if (id !== undefined) return bikeResponse(method, id, bikes);
  return method === 'POST' ? added(request, bikes) : listed(request, bikes);
}

function bikeResponse(method: string, text: string, bikes: Bikes): BikeResponse {
  const id = text.slice(1);
  const bike = bikes.get(id);
  if (!text.startsWith('.') || !bike) return problem(404);
  if (method !== 'DELETE') return { status: 200, body: bike };
  bikes.delete(id);
  return { status: 204 };
}

function listed({ query, headers }: BikeRequest, bikes: Bikes): BikeResponse {
  const limit = query.get('limit') ?? '50';
  const sizes = query.get('sizes')?.split('|') ?? [];
  const isValid =
    /^([1-9]|[1-4]\d|50)$/.test(limit) &&
    sizes.every((size) => /^\d+$/.test(size)) &&
    ['north', 'south'].includes(String(headers['x-shop']));
  if (!isValid) return problem(400);
  const tags = query.get('tags')?.split(',') ?? [];
  const found = [...bikes.values()].filter((bike) => tags.every((tag) => (bike as typeof plain).tags.includes(tag)));
  const shown = found.slice(0, Number(limit));
  return { status: 200, headers: { 'X-Total-Count': String(found.length) }, body: shown };
}

function added({ headers, body }: BikeRequest, bikes: Bikes): BikeResponse {
  if (headers['content-type']?.split(';')[0] !== 'application/json') return problem(415);
  const bike = parsed(body) as Record<string, unknown> | undefined;
  const isBike =
    typeof bike?.['name'] === 'string' &&
    bike['name'] !== '' &&
    Array.isArray(bike['tags']) &&
    bike['tags'].every((tag) => typeof tag === 'string') &&
    (bike['kind'] === 'plain' ? Number.isInteger(bike['gears']) : bike['kind'] === 'electric') &&
    (bike['kind'] !== 'electric' || (Number.isInteger(bike['battery']) && Number(bike['battery']) >= 1)) &&
    ((bike['built'] ?? null) === null || isDate(bike['built']));
  if (!isBike) return problem(422);
  const id = randomUUID();
  bikes.set(id, { ...bike, id });
  return { status: 201, headers: { Location: `/bikes/.${id}` }, body: { ...bike, id } };
}

function isDate(value: unknown): boolean {
  const [, day] = /^\d{4}-\d\d-(\d\d)$/.exec(String(value)) ?? [];
  return day !== undefined && new Date(String(value)).getUTCDate() === Number(day);
}
