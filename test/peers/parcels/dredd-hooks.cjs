/** Prepares the request of each documented response of the parcels, as Dredd's guide to hooks describes. */
const hooks = require('hooks');

const { KEY, READ_ONLY, PARCEL_ID } = process.env;
const unknown = 'ffffffff-ffff-4fff-8fff-ffffffffffff';
let count = 0;

hooks.beforeEach((transaction, done) => {
  const { expected, request } = transaction;
  const status = Number(expected.statusCode);
  const [path, query = ''] = transaction.fullPath.split('?');
  const { method, headers } = request;
  // Dredd would send examples of optional parameters and headers; conflicts and conditions need more than one request.
  transaction.skip = [304, 405, 409, 412, 422].includes(status) || (status === 400 && !headers['Content-Type']);
  delete headers['If-None-Match'];
  delete headers['Idempotency-Key'];
  const known = path.replace(/\/parcels\/[0-9a-f-]{36}/, `/parcels/${status === 404 ? unknown : PARCEL_ID}`);
  transaction.fullPath = path.startsWith('/depots/') && status === 404 ? '/depots/XXX99' : known;
  if (query !== '' && path === '/depots') transaction.fullPath = '/depots?country=DE%7CFR';
  if (status === 401) headers['X-Parcel-Key'] = 'unknown';
  else if (status === 403) headers.Authorization = `Bearer ${READ_ONLY}`;
  else headers['X-Parcel-Key'] = KEY;
  if (path === '/parcels' && method === 'POST' && status === 201)
    request.body = request.body.replace('ORDER-1', `DREDD-${(count += 1)}`);
  if (path.endsWith('/label') && method === 'PUT')
    [headers['Content-Type'], request.body] = ['application/pdf', '%PDF-1.4'];
  if (status === 400) request.body = '{"weight_grams":0}';
  if (status === 413) request.body = 'x'.repeat(20_000);
  if (status === 415) headers['Content-Type'] = 'text/plain';
  // A member of the account's own is not that of the example.
  if (status < 300 && method !== 'DELETE') delete expected.body;
  const server = `${transaction.protocol}//${transaction.host}:${transaction.port}`;
  const type = { 'X-Parcel-Key': KEY, 'Content-Type': 'application/json' };
  const prepare = async () => {
    if (method === 'PUT' && headers['If-Match'] && status === 200)
      headers['If-Match'] = (await fetch(`${server}${known}`, { headers: type })).headers.get('etag');
    if (path.endsWith('/label') && method === 'GET' && status === 200) {
      const label = { ...type, 'Content-Type': headers.Accept ?? 'application/pdf' };
      await fetch(`${server}${known}`, { method: 'PUT', headers: label, body: 'label' });
    }
    // What the other requests need is not removed.
    if (method !== 'DELETE' || status !== 204) return;
    const recipient = { name: 'Ada', address: { street: 'Am Ufer 3', postcode: '10115', country: 'DE' } };
    const body = JSON.stringify({ reference: 'REMOVED', recipient, weight_grams: 10 });
    const created = await fetch(`${server}/parcels`, { method: 'POST', headers: type, body });
    transaction.fullPath = created.headers.get('location') ?? known;
  };
  void prepare().finally(() => {
    done();
  });
});
