/** Relations of numbers that follow from what belongs to an item, of what two fields name, of times beside now, and of required validators. */
import { createHash } from 'node:crypto';
import { test } from '@jest/globals';
import { eachRun } from '../support/contract.ts';
import { describedServer, expectFailed, type Reply } from '../support/planted-faults.ts';
import { apiIn } from '../unit/document/fixture.ts';

const run = eachRun();

const api = apiIn(`
/accounts:
  post:
    operationId: addAccount
    requestBody: { $ref: '#/components/requestBodies/Account' }
    responses: { 201: { $ref: '#/components/responses/Account' }, 422: { description: Invalid } }
/accounts/{account_id}:
  parameters: [{ $ref: '#/components/parameters/Account' }]
  get:
    operationId: getAccount
    responses: { 200: { $ref: '#/components/responses/Account' }, 404: { description: None } }
  put:
    operationId: replaceAccount
    parameters: [{ name: If-Match, in: header, required: true, schema: { type: string } }]
    requestBody: { $ref: '#/components/requestBodies/Account' }
    responses:
      200: { $ref: '#/components/responses/Account' }
      404: { description: None }
      412: { description: The account has changed since }
      422: { description: Invalid }
/accounts/{account_id}/entries:
  parameters: [{ $ref: '#/components/parameters/Account' }]
  get:
    operationId: listEntries
    responses:
      200: { description: They, content: { application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Entry' } } } } }
      404: { description: None }
/accounts/{account_id}/holds:
  parameters: [{ $ref: '#/components/parameters/Account' }]
  get:
    operationId: listHolds
    responses:
      200: { description: They, content: { application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Hold' } } } } }
      404: { description: None }
  post:
    operationId: addHold
    requestBody: { $ref: '#/components/requestBodies/Hold' }
    responses: { 201: { $ref: '#/components/responses/Hold' }, 404: { description: None }, 422: { description: Invalid } }
/accounts/{account_id}/holds/{hold_id}:
  parameters: [{ $ref: '#/components/parameters/Account' }, { $ref: '#/components/parameters/Hold' }]
  get: { operationId: getHold, responses: { 200: { $ref: '#/components/responses/Hold' }, 404: { description: None } } }
  put:
    operationId: replaceHold
    requestBody: { $ref: '#/components/requestBodies/Hold' }
    responses: { 200: { $ref: '#/components/responses/Hold' }, 404: { description: None }, 422: { description: Invalid } }
  delete: { operationId: removeHold, responses: { 204: { description: Removed }, 404: { description: None } } }
/accounts/{account_id}/holds/{hold_id}/release:
  parameters: [{ $ref: '#/components/parameters/Account' }, { $ref: '#/components/parameters/Hold' }]
  post:
    operationId: releaseHold
    responses: { 200: { $ref: '#/components/responses/Hold' }, 404: { description: None }, 409: { description: It is not active } }
/transfers:
  post:
    operationId: addTransfer
    description: Moves money between two different accounts of the same currency.
    requestBody:
      required: true
      content:
        application/json:
          schema:
            type: object
            required: [from_account_id, to_account_id, amount]
            properties:
              from_account_id: { type: string }
              to_account_id: { type: string }
              amount: { $ref: '#/components/schemas/Amount' }
              execute_on: { type: string, format: date, description: Must not be in the past. }
    responses:
      201: { $ref: '#/components/responses/Transfer' }
      422: { description: 'Invalid, there is no such account, or the currencies differ' }
/transfers/{transfer_id}:
  parameters: [{ name: transfer_id, in: path, required: true, schema: { type: string, pattern: '^trf_[0-9a-f]{8}$' } }]
  get: { operationId: getTransfer, responses: { 200: { $ref: '#/components/responses/Transfer' }, 404: { description: None } } }
components:
  parameters:
    Account: { name: account_id, in: path, required: true, schema: { type: string, pattern: '^acc_[0-9a-f]{8}$' } }
    Hold: { name: hold_id, in: path, required: true, schema: { type: string, pattern: '^hld_[0-9a-f]{8}$' } }
  requestBodies:
    Account: { required: true, content: { application/json: { schema: { $ref: '#/components/schemas/NewAccount' } } } }
    Hold:
      required: true
      content:
        application/json:
          schema: { type: object, required: [amount], properties: { amount: { $ref: '#/components/schemas/Amount' } } }
  responses:
    Account:
      description: It
      headers: { ETag: { schema: { type: string } } }
      content: { application/json: { schema: { $ref: '#/components/schemas/Account' } } }
    Hold: { description: It, content: { application/json: { schema: { $ref: '#/components/schemas/Hold' } } } }
    Transfer:
      description: It
      content:
        application/json:
          schema:
            type: object
            required: [id, from_account_id, to_account_id, amount, execute_on]
            properties:
              id: { type: string }
              from_account_id: { type: string }
              to_account_id: { type: string }
              amount: { type: integer }
              execute_on: { type: string, format: date }
  schemas:
    Amount: { type: integer, minimum: 1, maximum: 100000, example: 250 }
    NewAccount:
      type: object
      required: [name, currency]
      properties: { name: { type: string, minLength: 1, maxLength: 60 }, currency: { type: string, enum: [GBP, CAD] } }
    Account:
      type: object
      required: [id, name, currency, balance, held]
      properties:
        id: { type: string }
        name: { type: string }
        currency: { type: string, enum: [GBP, CAD] }
        balance: { type: integer, description: What its entries add up to. }
        held: { type: integer, description: The sum of the active holds. }
    Entry:
      type: object
      required: [id, amount]
      properties: { id: { type: string }, amount: { type: integer } }
    Hold:
      type: object
      required: [id, amount, status]
      properties: { id: { type: string }, amount: { type: integer }, status: { type: string, enum: [active, released] } }
`);

type Account = { id: string; name: string; currency: string; balance: number; held: number };
type Part = { id: string; of: string; amount: number; status?: string };
type Transfer = { from_account_id: string; to_account_id: string; amount: number; execute_on?: string };
type Sent = Account & Part & Transfer;

/** How a server does what the mutants do otherwise. */
const right = {
  afterRelease: (held: number, amount: number) => held - amount,
  afterRemoval: (held: number, { amount, status }: Part) => held - (status === 'active' ? amount : 0),
  afterReplacement: (held: number, before: number, now: number) => held - before + now,
  received: (balance: number, amount: number) => balance + amount,
  mayBeSame: (_isSame: boolean) => false,
  mayDiffer: (isSame: boolean) => isSame,
  isTooEarly: (day: string) => day < new Date().toISOString().slice(0, 10),
  isStale: (given: unknown, etag: string) => given !== etag,
};

function accountServer(wrong: Partial<typeof right>) {
  const ways = { ...right, ...wrong };
  const accounts: Account[] = [];
  let holds: Part[] = [];
  const entries: Part[] = [];
  const transfers: (Transfer & { id: string })[] = [];
  const newId = (prefix: string) => `${prefix}_${crypto.randomUUID().slice(0, 8)}`;
  const etagOf = (account: Account) => `"${createHash('sha1').update(JSON.stringify(account)).digest('hex')}"`;
  const shown = (account: Account): Reply => [200, account, { ETag: etagOf(account) }];
  const shownPart = ({ of: _of, ...part }: Part) => part;
  const partsOf = (parts: Part[], { id }: Account) => parts.filter(({ of }) => of === id).map(shownPart);

  const ofAccount: Record<string, (account: Account, sent: Sent, given: unknown) => Reply> = {
    getAccount: shown,
    replaceAccount(account, { name, currency }, given) {
      if (ways.isStale(given, etagOf(account))) return [412];
      return shown(Object.assign(account, { name, currency }));
    },
    listEntries: (account) => [200, partsOf(entries, account)],
    listHolds: (account) => [200, partsOf(holds, account)],
    addHold(account, { amount }) {
      holds.push({ id: newId('hld'), of: account.id, amount, status: 'active' });
      account.held += amount;
      return [201, partsOf(holds, account).at(-1)];
    },
  };
  const ofHold: Record<string, (hold: Part, account: Account, sent: Sent) => Reply> = {
    getHold: (hold) => [200, shownPart(hold)],
    replaceHold(hold, account, { amount }) {
      if (hold.status === 'active') account.held = ways.afterReplacement(account.held, hold.amount, amount);
      return [200, shownPart(Object.assign(hold, { amount }))];
    },
    removeHold(hold, account) {
      account.held = ways.afterRemoval(account.held, hold);
      holds = holds.filter((each) => each !== hold);
      return [204];
    },
    releaseHold(hold, account) {
      if (hold.status !== 'active') return [409];
      account.held = ways.afterRelease(account.held, hold.amount);
      return [200, shownPart(Object.assign(hold, { status: 'released' }))];
    },
  };
  const addTransfer = ({ from_account_id: from, to_account_id: to, amount, execute_on: day }: Sent): Reply => {
    const [source, target] = [from, to].map((each) => accounts.find(({ id }) => id === each));
    const today = new Date().toISOString().slice(0, 10);
    if (!source || !target || (source === target && !ways.mayBeSame(true))) return [422];
    if (!ways.mayDiffer(source.currency === target.currency) || ways.isTooEarly(day ?? today)) return [422];
    source.balance -= amount;
    target.balance = ways.received(target.balance, amount);
    entries.push({ id: newId('ent'), of: from, amount: -amount }, { id: newId('ent'), of: to, amount });
    const made = { from_account_id: from, to_account_id: to, amount, execute_on: day ?? today };
    transfers.push({ id: newId('trf'), ...made });
    return [201, transfers.at(-1)];
  };

  return describedServer(api, ({ operationId, id, part, sent: given, headers, faults: [fault] }) => {
    const sent = given as unknown as Sent;
    if (fault) return [fault.parameter ? 404 : 422];
    if (operationId === 'addTransfer') return addTransfer(sent);
    if (operationId === 'addAccount') {
      const account = { id: newId('acc'), name: sent.name, currency: sent.currency, balance: 0, held: 0 };
      accounts.push(account);
      return [201, ...shown(account).slice(1)] as unknown as Reply;
    }
    const transfer = transfers.find((each) => each.id === id);
    if (transfer) return [200, transfer];
    const account = accounts.find((each) => each.id === id);
    const hold = holds.find((each) => each.id === part && each.of === id);
    if (!account) return [404];
    return (
      (hold
        ? ofHold[operationId]?.(hold, account, sent)
        : ofAccount[operationId]?.(account, sent, headers['if-match'])) ?? [404]
    );
  });
}

test.each<[title: string, wrong: Partial<typeof right>, failed: string[]]>([
  ['conforms', {}, []],
  ['holds what was released', { afterRelease: (held) => held }, ['getAccount.aggregated']],
  ['holds what was removed', { afterRemoval: (held) => held }, ['getAccount.aggregated']],
  ['holds what was held before a change', { afterReplacement: (held) => held }, ['getAccount.aggregated']],
  ['loses what is received', { received: (balance) => balance }, ['getAccount.aggregated']],
  ['moves money within an account', { mayBeSame: () => true }, ['addTransfer.referring']],
  ['moves money between currencies', { mayDiffer: () => true }, ['addTransfer.referring']],
  ['moves money yesterday', { isTooEarly: () => false }, ['addTransfer.ordered']],
  ['overlooks a stale validator', { isStale: () => false }, ['replaceAccount.stale-precondition']],
])('a server that %s', async (_title, wrong, failed) => {
  await expectFailed(await run.serve(accountServer(wrong)), api, failed);
});
