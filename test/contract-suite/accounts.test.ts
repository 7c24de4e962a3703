/** Relations of numbers that follow from what belongs to an item, of what two fields name, of times beside now, and of required validators. */
import { createHash } from 'node:crypto';
import { describedApi } from '../support/described-api.ts';
import { testFaults } from '../support/planted-faults.ts';
import type { Behaviour } from '../support/resource-server.ts';
import * as t from '../support/schemas.ts';

const newAccount = { name: t.text(60), currency: t.oneOf('GBP', 'CAD') };
const account = t.object({
  ...{ id: t.string, ...newAccount, balance: t.said(t.count, 'What its entries add up to.') },
  held: t.said(t.count, 'The sum of the active holds.'),
});
const amount = { ...t.count, minimum: 1, maximum: 100_000, example: 250 };
const hold = t.object({ id: t.string, amount: t.count, status: t.oneOf('active', 'released') });
const newTransfer = {
  ...{ from_account_id: t.string, to_account_id: t.string, amount },
  execute_on: t.said(t.day, 'Must not be in the past.'),
};
const transfer = t.object({ id: t.string, ...newTransfer, amount: t.count, execute_on: t.day });
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
    'GET /accounts/{account_id}/entries': ['listEntries', { 200: t.list(t.object({ id: t.string, amount: t.count })) }],
    'GET /accounts/{account_id}/holds': ['listHolds', { 200: t.list(hold) }],
    'POST /accounts/{account_id}/holds': ['addHold', { ...held, 201: hold }],
    'GET /accounts/{account_id}/holds/{hold_id}': ['getHold', { 200: hold }],
    'PUT /accounts/{account_id}/holds/{hold_id}': ['replaceHold', { ...held, 200: hold }],
    'DELETE /accounts/{account_id}/holds/{hold_id}': ['removeHold', { 204: 'Removed' }],
    'POST /accounts/{account_id}/holds/{hold_id}/release': ['releaseHold', { 200: hold, 409: 'It is not active' }],
    'POST /transfers': [
      'addTransfer',
      {
        description: 'Moves money between two different accounts of the same currency.',
        sent: t.object(newTransfer, ['execute_on']),
        201: transfer,
        422: 'Invalid, there is no such account, or the currencies differ',
      },
    ],
    'GET /transfers/{transfer_id}': ['getTransfer', { 200: transfer }],
  },
  {
    title: 'Accounts',
    ids: { account_id: t.identifier('acc'), hold_id: t.identifier('hld'), transfer_id: t.identifier('trf') },
  },
);

type Account = { name: string; currency: string; balance: number; held: number };
type Part = { amount: number; status: string };
type Fields = Account & Part & { from_account_id: string; to_account_id: string; execute_on?: string };

const today = () => new Date().toISOString().slice(0, 10);
const etag = (account: Account) => `"${createHash('sha1').update(JSON.stringify(account)).digest('hex')}"`;

/** How a server does what the mutants do otherwise. */
const right = {
  afterRelease: (held: number, amount: number) => held - amount,
  afterRemoval: (held: number, { amount, status }: Part) => held - (status === 'active' ? amount : 0),
  afterReplacement: (held: number, before: number, now: number) => held - before + now,
  received: (balance: number, amount: number) => balance + amount,
  mayBeSame: (_isSame: boolean) => false,
  mayDiffer: (isSame: boolean) => isSame,
  isTooEarly: (day: string) => day < today(),
  isStale: (given: unknown, etag: string) => given !== etag,
};

function behaviour(ways: typeof right): Behaviour<Fields> {
  return {
    kinds: {
      accounts: { etag, initial: () => ({ balance: 0, held: 0 }) },
      entries: {},
      holds: { initial: () => ({ status: 'active' }) },
      transfers: {
        initial: () => ({ execute_on: today() }),
        refused({ from_account_id: from, to_account_id: to, execute_on: on = today() }, { find }) {
          const [source, target] = [find('accounts', from), find('accounts', to)];
          if (!source || !target || (source === target && !ways.mayBeSame(true))) return 422;
          return ways.mayDiffer(source.currency === target.currency) && !ways.isTooEarly(on) ? undefined : 422;
        },
      },
    },
    acts: {
      replaceAccount: ({ item, headers, usual }) => (ways.isStale(headers['if-match'], etag(item)) ? 412 : usual()),
      addHold({ item, sent, usual }) {
        item.held += sent.amount;
        return usual();
      },
      replaceHold({ item: { status, amount: before }, owner, sent, usual }) {
        if (status === 'active') owner.held = ways.afterReplacement(owner.held, before, sent.amount);
        return usual();
      },
      removeHold({ item, owner, usual }) {
        owner.held = ways.afterRemoval(owner.held, item);
        return usual();
      },
      releaseHold({ item, owner }) {
        if (item.status !== 'active') return 409;
        owner.held = ways.afterRelease(owner.held, item.amount);
        return Object.assign(item, { status: 'released' });
      },
      addTransfer({ sent: { amount: moved, from_account_id: from, to_account_id: to }, find, create, usual }) {
        const made = usual();
        const [source, target] = [find('accounts', from), find('accounts', to)];
        if (typeof made === 'number' || !source || !target) return made;
        source.balance -= moved;
        create('entries', { amount: -moved }, source);
        target.balance = ways.received(target.balance, moved);
        create('entries', { amount: moved }, target);
        return made;
      },
    },
  };
}

testFaults(api, right, behaviour, [
  ['holds what was released', { afterRelease: (held) => held }, ['getAccount.aggregated']],
  ['holds what was removed', { afterRemoval: (held) => held }, ['getAccount.aggregated']],
  ['holds what was held before a change', { afterReplacement: (held) => held }, ['getAccount.aggregated']],
  ['loses what is received', { received: (balance) => balance }, ['getAccount.aggregated']],
  ['moves money within an account', { mayBeSame: () => true }, ['addTransfer.referring']],
  ['moves money between currencies', { mayDiffer: () => true }, ['addTransfer.referring']],
  ['moves money yesterday', { isTooEarly: () => false }, ['addTransfer.ordered']],
  ['overlooks a stale validator', { isStale: () => false }, ['replaceAccount.stale-precondition']],
]);
