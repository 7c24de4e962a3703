/** Prepares the request of each documented response, as Dredd's guide to hooks describes. */
const hooks = require('hooks');

const { OWNER_KEY, VIEWER_KEY, ACCESS_TOKEN, CASE_ID } = process.env;

const requests = {
  400: { body: '{"enabled":"yes"}' },
  401: { key: 'unknown', token: 'unknown' },
  403: { key: VIEWER_KEY },
  404: { id: 'ffffffff-ffff-4fff-8fff-ffffffffffff' },
  413: { body: JSON.stringify({ enabled: true, text: 'x'.repeat(20_000) }) },
  415: { type: 'text/plain' },
};

hooks.beforeEach((transaction, done) => {
  const { expected, request } = transaction;
  const status = String(expected.statusCode);
  const { key = OWNER_KEY, token = ACCESS_TOKEN, id = CASE_ID, body, type } = requests[status] ?? {};
  // A used up limit and a failing service are not brought about by one request.
  transaction.skip = ['429', '500', '503'].includes(status);
  if (transaction.fullPath.startsWith('/cases/')) {
    request.headers.Authorization = `Bearer ${token}`;
    transaction.fullPath = `/cases/${id}`;
    // The members of metadata are the caller's own; Dredd would ask for those of the example.
    if (status === '200') expected.body = JSON.stringify({ ...JSON.parse(String(expected.body)), metadata: {} });
  } else {
    request.headers['x-api-key'] = key;
  }
  if (body !== undefined) request.body = body;
  if (type !== undefined) request.headers['Content-Type'] = type;
  done();
});
