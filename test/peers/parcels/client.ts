/** A plain client of the parcels: it calls each operation as its user would, and looks at statuses and at what it has sent. */
import { credentials } from './server.ts';

const address = { street: 'Am Ufer 1', postcode: '10115', country: 'DE' };
const parcel = { reference: 'ORDER-1', recipient: { name: 'Ada', address }, weight_grams: 1200, tags: ['fragile'] };
const json = 'application/json';

/** Follows the happy paths, and returns what is wrong first. */
export async function followParcels(url: string): Promise<string | undefined> {
  const call = async (method: string, path: string, body?: string, headers: Record<string, string> = {}) => {
    const credential = { 'x-parcel-key': credentials.key };
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { ...credential, ...headers },
      ...(body && { body }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 200)}`);
    const isJson = response.headers.get('content-type')?.startsWith(json) === true;
    return { response, value: isJson ? (JSON.parse(text) as Record<string, unknown>) : text };
  };
  const equal = (name: string, value: unknown, expected: unknown) => {
    if (JSON.stringify(value) !== JSON.stringify(expected))
      throw new Error(`${name} is not ${JSON.stringify(expected)}`);
  };
  try {
    const created = await call('POST', '/parcels', JSON.stringify(parcel), {
      'content-type': json,
      'idempotency-key': 'a1',
    });
    const { id } = created.value as { id: string };
    const path = `/parcels/${id}`;
    const read = (await call('GET', path)).value as Record<string, unknown>;
    equal('the weight', read['weight_grams'], 1200);
    const headers = { 'content-type': json, 'if-match': created.response.headers.get('etag') ?? '' };
    await call('PUT', path, JSON.stringify({ ...parcel, note: 'Ring twice' }), headers);
    equal('the note', ((await call('GET', path)).value as Record<string, unknown>)['note'], 'Ring twice');
    await call('PUT', `${path}/label`, '%PDF-1.4', { 'content-type': 'application/pdf' });
    equal('the label', (await call('GET', `${path}/label`)).value, '%PDF-1.4');
    await call('POST', `${path}/events`, JSON.stringify({ status: 'in_transit', depot: 'BER01' }), {
      'content-type': json,
    });
    await call('GET', `${path}/events?limit=10`);
    await call('GET', '/parcels?status=in_transit&tag=fragile&weight[min]=1&sort=created_at&limit=5');
    await call('DELETE', path);
    for (const each of ['/depots?country=DE|FR', '/depots/BER01', '/account']) await call('GET', each);
    return undefined;
  } catch (error) {
    return String(error);
  }
}
