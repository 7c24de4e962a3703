import type { CheckContext, CredentialName } from '../run/model.ts';
import { altered, apiKey, bearer, type Header } from './requests.ts';

/** A way to present an invalid credential. */
export interface Presented {
  readonly name: string;
  readonly needs: readonly CredentialName[];
  readonly headers: (context: CheckContext) => readonly Header[];
  /** Appended to the path. */
  readonly query?: (context: CheckContext) => string;
}

type Spell = (secret: string) => Header[];

const without = (name: string, ...headers: Header[]): Presented => ({ name, needs: [], headers: () => headers });

const using = (name: CredentialName, spellings: Record<string, Spell>): Presented[] =>
  Object.entries(spellings).map(([spelling, spell]) => ({
    name: spelling,
    needs: [name],
    headers: (context) => spell(context.credential(name)),
  }));

const inQuery = (name: CredentialName, parameter: string): Presented => ({
  name: `in-query-${parameter.replaceAll('_', '-')}`,
  needs: [name],
  headers: () => [],
  query: (context) => `?${parameter}=${encodeURIComponent(context.credential(name))}`,
});

/** For the operations that require an API key. */
export const refusedKeys: readonly Presented[] = [
  without('absent'),
  without('empty', apiKey('')),
  without('made-up', apiKey('made-up')),
  ...using('owner_key', {
    altered: (key) => [apiKey(altered(key))],
    'altered-at-the-end': (key) => [apiKey(altered(key, key.length - 1))],
    extended: (key) => [apiKey(`${key}x`)],
    'cut-off': (key) => [apiKey(key.slice(0, -1))],
    'with-scheme-word': (key) => [apiKey(`Bearer ${key}`)],
    'as-bearer-token': (key) => [bearer(key)],
    'in-authorization': (key) => [['Authorization', `ApiKey ${key}`]],
    'as-basic': (key) => [['Authorization', `Basic ${Buffer.from(`${key}:`).toString('base64')}`]],
    'in-cookie': (key) => [['Cookie', `x-api-key=${key}`]],
    doubled: (key) => [apiKey(key), apiKey(key)],
    'doubled-with-made-up': (key) => [apiKey(key), apiKey('made-up')],
    'made-up-then-valid': (key) => [apiKey('made-up'), apiKey(key)],
  }),
  inQuery('owner_key', 'x-api-key'),
  inQuery('owner_key', 'api_key'),
  ...using('access_token', {
    'access-token': (token) => [apiKey(token)],
    'access-token-as-bearer': (token) => [bearer(token)],
  }),
  ...using('revoked_key', { revoked: (key) => [apiKey(key)] }),
];

/** For the operation that requires an access token. */
export const refusedTokens: readonly Presented[] = [
  without('absent'),
  without('empty', ['Authorization', '']),
  without('scheme-alone', ['Authorization', 'Bearer']),
  without('made-up', bearer('made-up')),
  ...using('access_token', {
    altered: (token) => [bearer(altered(token))],
    'altered-at-the-end': (token) => [bearer(altered(token, token.length - 1))],
    extended: (token) => [bearer(`${token}x`)],
    'cut-off': (token) => [bearer(token.slice(0, -1))],
    'without-scheme': (token) => [['Authorization', token]],
    'behind-basic': (token) => [['Authorization', `Basic ${token}`]],
    'as-basic': (token) => [['Authorization', `Basic ${Buffer.from(`${token}:`).toString('base64')}`]],
    'behind-token': (token) => [['Authorization', `Token ${token}`]],
    'behind-bearer-glued': (token) => [['Authorization', `Bearer${token}`]],
    'behind-bearer-twice': (token) => [bearer(`Bearer ${token}`)],
    'with-something-behind': (token) => [bearer(`${token} ${token}`)],
    'as-api-key': (token) => [apiKey(token)],
    'in-cookie': (token) => [['Cookie', `access_token=${token}`]],
    doubled: (token) => [bearer(token), bearer(token)],
    'doubled-with-made-up': (token) => [bearer(token), bearer('made-up')],
    'made-up-then-valid': (token) => [bearer('made-up'), bearer(token)],
  }),
  inQuery('access_token', 'access_token'),
  inQuery('access_token', 'Authorization'),
  ...using('owner_key', {
    'api-key': (key) => [bearer(key)],
    'api-key-in-its-header': (key) => [apiKey(key)],
  }),
];
