/**
 * The limit on PostgreSQL: node:http, a pool of `pg`, and one prepared statement per request, which finds the
 * credential with its rights and the requested data as text. It checks neither rights nor requests.
 */
import { createServer } from 'node:http';
import pg from 'pg';
import { hashSecret } from '../../src/domain/credential.ts';

const rights = `c.organisation_id, c.kind, c.expires_at, c.revoked_at,
  ARRAY(SELECT permission FROM role_permission p WHERE p.role = c.role)::text[] AS permissions,
  ARRAY(SELECT feature FROM organisation_feature f WHERE f.organisation_id = c.organisation_id)::text[] AS features`;
const readSetting = {
  name: 'setting',
  text: `SELECT ${rights}, json_build_object('enabled', verification_enabled)::text AS body
    FROM credential c JOIN organisation USING (organisation_id) WHERE secret_sha256 = $1`,
};
const readCase = {
  name: 'case',
  text: `SELECT ${rights}, (SELECT json_build_object('case_id', case_id, 'label', label, 'metadata', metadata::json,
      'locked_at', locked_at, 'created_at', r.created_at, 'updated_at', updated_at,
      'files', (SELECT json_agg(f) FROM (SELECT * FROM case_file WHERE case_id = r.case_id ORDER BY uploaded_at, file_id) f)
    )::text FROM case_record r WHERE case_id = $2 AND r.organisation_id = c.organisation_id) AS body
    FROM credential c WHERE secret_sha256 = $1`,
};
const casePath = '/cases/';

const pool = new pg.Pool({
  connectionString: process.env['DATABASE_URL'],
  max: Number(process.env['DATABASE_POOL_SIZE']),
});

createServer((request, response) => {
  const { url = '', headers } = request;
  const secret = headers.authorization?.slice('Bearer '.length) ?? String(headers['x-api-key']);
  const values: unknown[] = [hashSecret(secret)];
  const isOfCase = url.startsWith(casePath);
  if (isOfCase) values.push(url.slice(casePath.length));
  const send = (status: number, body: string) => {
    const headersSent = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) };
    response.writeHead(status, headersSent).end(body);
  };
  pool.query<{ body: string | null }>({ ...(isOfCase ? readCase : readSetting), values }).then(
    ({ rows: [row] }) => {
      if (row) send(row.body === null ? 404 : 200, row.body ?? '{}');
      else send(401, '{}');
    },
    () => {
      send(500, '{}');
    },
  );
}).listen(Number(process.env['PORT']), '127.0.0.1');
