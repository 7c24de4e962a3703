import { expect, test } from '@jest/globals';
import { ConfigError, readConfig } from '../../src/runtime/config.ts';

test('finds PostgreSQL where DATABASE_URL says, and a replica of it where DATABASE_READ_URL does', () => {
  const url = 'postgres://user:p%40ss@db.example/cases?sslmode=verify-full';
  expect(readConfig({ DATABASE_URL: url }).database).toEqual({
    url,
    readUrl: undefined,
    poolSize: 10,
    pooled: false,
  });
  const readUrl = 'postgresql://[::1]:5433/cases';
  const pool = { DATABASE_POOL_SIZE: '3', DATABASE_POOLER: 'transaction' };
  const environment = { DATABASE_URL: url, DATABASE_READ_URL: readUrl, ...pool };
  expect(readConfig(environment).database).toEqual({ url, readUrl, poolSize: 3, pooled: true });
  const refused = 'DATABASE_POOLER must be one of none, transaction, not "session"';
  expect(() => readConfig({ DATABASE_POOLER: 'session' })).toThrow(refused);
  expect(Object.isFrozen(readConfig(environment).database)).toBe(true);
});

test.each([
  ['', /^DATABASE_URL must be a URL such as postgres:\/\/user:password@host:5432\/database\./],
  ['mysql://u:secret@h/d', /must be a URL such as/],
  ['secret', /must be a URL such as/],
  ['postgres://u:sec#ret@h/d', /percent-encode each of \/ \? # @ : and %$/],
  ['postgres://u:12/secret@h/d', /after the host\. In a password, percent-encode/],
  ['postgres://u:12?secret@h/d', /after the host/],
  ['postgres://u:12#secret@h/d', /after the host/],
  ['postgres://u:secret%@h/d', /has an invalid percent-encoding/],
  ['postgres://u:secret@h:5432/', /names no database\. Add it after the host, as in postgres:/],
  ['postgres://u:secret@h', /names no database/],
  ['postgres://u:secret@h/?database=d', /names no database/],
  [
    'postgres://u:secret@h/d?sslmode=full',
    /sslmode that does not exist\. Choose one of disable, no-verify, .*verify-full$/,
  ],
])('refuses the DATABASE_URL %s without repeating any of it', (url, message) => {
  const read = () => readConfig({ DATABASE_URL: url });
  expect(read).toThrow(ConfigError);
  expect(read).toThrow(message);
  expect(read).not.toThrow(/sec/);
});

test('refuses a replica of no database', () => {
  expect(() => readConfig({ DATABASE_READ_URL: 'postgres://h/d' })).toThrow(
    'DATABASE_URL is required if DATABASE_READ_URL is set',
  );
});

test('keeps files in the data directory also beside a database', () => {
  const config = readConfig({ DATABASE_URL: 'postgres://h/d' }, { dataDir: 'x' });
  expect(config.files.folder).toBe('x/document-analysis-uk-files');
});
