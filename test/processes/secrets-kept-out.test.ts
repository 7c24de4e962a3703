import { expect, test } from '@jest/globals';
import { settingPath } from '../support/harness.ts';
import { serveHttp } from '../support/misbehaving-servers.ts';
import { addTenant, jsonOf, stop, told, startServer } from '../support/process.ts';

const jwt = 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJ4In0.c2lnbmF0dXJl';

test('a secret sent in the wrong place is in no response, log line, trace, metric or audit entry', async () => {
  let traces = '';
  const collector = await serveHttp((request, response) => {
    request.on('data', (chunk: Buffer) => (traces += chunk.toString()));
    request.on('end', () => response.setHeader('Content-Type', 'application/json').end('{}'));
  });
  const environment = { LOG_LEVEL: 'trace', OPS_PORT: '0', OTEL_EXPORTER_OTLP_ENDPOINT: collector };
  const program = await startServer({ environment });
  const { url, dataDir } = program;
  const { key, token } = await addTenant(dataDir);
  const ofKey = [`key${key}`, `${key}_x`, key.toUpperCase(), `dak_uk_${key}`];
  const ids = [...ofKey, `x${token}`, `_${jwt}`, `bearer-${token}`];
  let responses = '';
  const call = async (path: string, headers: Record<string, string>, body?: string) => {
    const response = await fetch(url + path, {
      method: body === undefined ? 'GET' : 'PUT',
      headers,
      body: body ?? null,
    });
    responses += JSON.stringify([...response.headers]) + (await response.text());
    return response.status;
  };
  for (const id of ids) {
    const headers = {
      'x-api-key': key,
      'content-type': 'application/json',
      'x-request-id': id,
      traceparent: `00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-${id}`,
      tracestate: `a=${id}`,
      'user-agent': id,
    };
    expect(await call(settingPath, headers, '{"enabled":true}')).toBe(200);
    expect(await call(settingPath, headers, `{"enabled":"${id}"}`)).toBe(400);
    expect(await call(settingPath, headers, `{"enabled":true,"${id}":{"${id}":1}}`)).toBe(400);
    expect(await call(`/cases/${id}?token=${id}`, { ...headers, authorization: `Bearer ${token}` })).toBe(404);
    expect(await call(`/thumbnails/${id}`, headers)).toBe(404);
  }
  const metrics = await (await fetch(`${await told(program, /metrics on (\S+)\n/)}/metrics`)).text();
  await stop(program);
  const audit = await jsonOf<{ request_id: string | null }[]>(['audit', 'list', '--data-dir', dataDir]);
  expect(audit.filter((entry) => entry.request_id !== null)).toHaveLength(ids.length);
  expect(traces).toContain('document_analysis.request_id');

  const kept = { responses, log: program.stdout() + program.stderr(), traces, metrics, audit: JSON.stringify(audit) };
  const secrets = [key.slice(7, 37), token.slice(7, 37), jwt.slice(10)].flatMap((text) => [text, text.toUpperCase()]);
  for (const [name, text] of Object.entries(kept))
    for (const secret of secrets) expect({ name, found: text.includes(secret) }).toEqual({ name, found: false });
});
