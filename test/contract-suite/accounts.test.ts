/** Relations of numbers that follow from what belongs to an item, of its removal, and of required validators. */
import { createHash } from 'node:crypto';
import { describedApi } from '../support/described-api.ts';
import { testFaults } from '../support/planted-faults.ts';
import type { Behaviour } from '../support/resource-server.ts';
import * as t from '../support/schemas.ts';

const newAccount = { name: t.text(60) };
const account = t.object({ id: t.string, ...newAccount, held: t.said(t.count, 'The sum of the holds.') });
const amount = { ...t.count, minimum: 1, maximum: 100_000, example: 250 };
const hold = t.object({ id: t.string, amount: t.count });
const ifMatch = { name: 'If-Match', in: 'header', required: true, schema: t.string };
const held = { sent: t.object({ amount }) };

const api = describedApi(
  {
    'POST /accounts': ['addAccount', { sent: t.object(newAccount), 201: t.versioned(account) }],
    'GET /accounts/{account_id}': ['getAccount', { 200: t.versioned(account) }],
    'PUT /accounts/{account_id}': [
      'replaceAccount',
      {
        parameters: [ifMatch],
        sent: t.object(newAccount),
        200: t.versioned(account),
        412: 'The account has changed since',
      },
    ],
    'GET /accounts/{account_id}/holds': ['listHolds', { 200: t.list(hold) }],
    'POST /accounts/{account_id}/holds': ['addHold', { ...held, 201: hold }],
    'GET /accounts/{account_id}/holds/{hold_id}': ['getHold', { 200: hold }],
    'PUT /accounts/{account_id}/holds/{hold_id}': ['replaceHold', { ...held, 200: hold }],
    'DELETE /accounts/{account_id}/holds/{hold_id}': ['removeHold', { 204: 'Removed' }],
  },
  { title: 'Accounts', ids: { account_id: t.identifier('acc'), hold_id: t.identifier('hld') } },
);

type Account = { name: string; held: number };
type Fields = Account & { amount: number };

const etag = (account: Account) => `"${createHash('sha1').update(JSON.stringify(account)).digest('hex')}"`;

/** How a server does what the mutants do otherwise. */
const right = {
  afterRemoval: (held: number, amount: number) => held - amount,
  afterReplacement: (held: number, before: number, now: number) => held - before + now,
  removed: (item: Fields, _all: Fields[]) => item,
  isStale: (given: unknown, etag: string) => given !== etag,
};

function behaviour(ways: typeof right): Behaviour<Fields> {
  return {
    kinds: { accounts: { etag, initial: () => ({ held: 0 }) }, holds: {} },
    acts: {
      replaceAccount: ({ item, headers, usual }) => (ways.isStale(headers['if-match'], etag(item)) ? 412 : usual()),
      addHold({ item, sent, usual }) {
        item.held += sent.amount;
        return usual();
      },
      replaceHold({ item, owner, sent, usual }) {
        owner.held = ways.afterReplacement(owner.held, item.amount, sent.amount);
        return usual();
      },
      removeHold({ item, owner, all, remove }) {
        const removed = ways.removed(item, all('holds', owner));
        owner.held = ways.afterRemoval(owner.held, removed.amount);
        remove(removed);
        return 204;
      },
    },
  };
}

testFaults(api, right, behaviour, [
  ['holds what was removed', { afterRemoval: (held) => held }, ['getAccount.aggregated']],
  ['holds what was held before a change', { afterReplacement: (held) => held }, ['getAccount.aggregated']],
  ['removes the first one', { removed: (item, [first = item]) => first }, ['removeHold.removed']],
  ['overlooks a stale validator', { isStale: () => false }, ['replaceAccount.stale-precondition']],
]);
