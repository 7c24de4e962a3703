/**
 * The limit: node:http, a pool of `pg`, and one prepared statement per request, which finds the credential with its rights
 * and the requested data. It checks neither rights nor requests.
 */
import { createServer, type ServerResponse } from 'node:http';
import pg from 'pg';
import { hashSecret } from '../../src/domain/secret.ts';

const rights = `c.organisation_id, c.kind, c.expires_at, c.revoked_at,
  ARRAY(SELECT permission FROM role_permission p WHERE p.role = c.role)::text[] AS permissions,
  ARRAY(SELECT feature FROM organisation_feature f WHERE f.organisation_id = c.organisation_id)::text[] AS features`;
const readSetting = {
  name: 'setting',
  text: `SELECT ${rights}, verification_enabled FROM credential c JOIN organisation USING (organisation_id)
    WHERE secret_sha256 = $1`,
};
const readCase = {
  name: 'case',
  text: `SELECT ${rights}, case_id, label, metadata, locked_at, r.created_at, updated_at,
      (SELECT json_agg(f) FROM (SELECT * FROM case_file WHERE case_id = r.case_id ORDER BY uploaded_at, file_id) f) AS files
    FROM credential c JOIN case_record r USING (organisation_id) WHERE secret_sha256 = $1 AND case_id = $2`,
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
  const ofCase = url.startsWith(casePath);
  if (ofCase) values.push(url.slice(casePath.length));
  pool.query<Record<string, unknown>>({ ...(ofCase ? readCase : readSetting), values }).then(
    ({ rows: [row] }) => {
      if (!row) send(response, 401, { error: 'unknown' });
      else if (!ofCase) send(response, 200, { enabled: row['verification_enabled'] });
      else {
        const { case_id, label, metadata, locked_at, created_at, updated_at, files } = row;
        send(response, 200, { case_id, label, metadata, locked_at, created_at, updated_at, files });
      }
    },
    () => {
      send(response, 500, { error: 'failed' });
    },
  );
}).listen(Number(process.env['PORT']), '127.0.0.1');

function send(response: ServerResponse, status: number, body: object): void {
  const content = Buffer.from(JSON.stringify(body));
  response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': content.length });
  response.end(content);
}
