/** Relations of who may do what: tenants, schemes, preconditions, idempotency keys, methods and uploads. */
import type { Baseline } from '../plan/baseline.ts';
import { credentialSchemes, presented } from '../dimensions/credential-scheme.ts';
import { type Client, fail, hasHeader, identified, isSuccess, type Item, type Relation, unmet } from './client.ts';
import { isAtOrBelow, type Resource, type Resources } from './resources.ts';
import { ownFields } from './model.ts';

/** Says that others see it, too. */
const shared =
  /\b(shared|public|everyone|anyone|all (users|callers|tenants|members|customers)|any (user|caller|tenant))\b/i;
const keyHeader = /^(x-)?idempotency-?key$/i;

/** Whether an operation is that of one tenant, as far as its document says. */
export function isPrivate(baseline: Baseline | undefined): baseline is Baseline {
  const { summary = '', description = '' } = baseline?.operation ?? {};
  return baseline?.isPublic === false && !shared.test(`${summary} ${description}`);
}

export function accessRelations(resource: Resource): Relation[] {
  const { create, read, list, replace, change, remove } = resource;
  if (!create) return [];
  const isFound = (read ?? list) !== undefined;
  const foreignTo = (about: Baseline | undefined, title: string, run: Relation['run']): Relation => {
    const isTheirs = about && isPrivate(create) && isPrivate(about);
    return {
      id: 'other-tenant',
      title,
      about: isTheirs ? about : undefined,
      uses: [create, read],
      foreign: [create, about],
      run,
    };
  };
  const updates = [replace === create ? undefined : replace, change, remove];
  return [
    ...[read, ...updates].map((about) =>
      foreignTo(about, 'what one tenant made, another can neither read nor change', (client) =>
        checkForeign(client, resource, about as Baseline),
      ),
    ),
    foreignTo(list, 'what one tenant made, another does not find in lists', (client) =>
      checkForeignList(client, resource),
    ),
    foreignTo(
      hasHeader(create, keyHeader) ? create : undefined,
      'the key of one tenant means nothing for another',
      async (client) => {
        const { own, sent, headers } = await createWithKey(client, resource);
        const other = await client.tryCreate(resource, sent, { headers, caller: 'other' });
        if (!('resource' in other)) return fail(`the key of another tenant is refused with ${other.status}`, other);
        if (other.id === own.id) fail(`the key of one tenant gives another the same ${other.id}`, other.response);
      },
    ),
    ...[replace, change, remove].map((about): Relation => {
      const isConditional =
        hasHeader(about, /^if-match$/i) && about?.operation.responses['412'] && isFound && (change ?? replace);
      return {
        ...{ id: 'stale-precondition', about: isConditional ? about : undefined, uses: [create, read] },
        title: 'a stale precondition is refused with 412 and changes nothing',
        run: (client) => checkStale(client, resource, about as Baseline),
      };
    }),
    {
      ...{ id: 'repeated-key', about: hasHeader(create, keyHeader) ? create : undefined },
      title: 'a repeated idempotency key creates nothing more',
      run: (client) => checkRepeatedKey(client, resource),
    },
  ];
}

/** @throws {UnmetPreconditionError} unless the other tenant's credential is accepted */
export async function createForOther(client: Client, resource: Resource): Promise<Item> {
  await client.create(resource, { caller: 'other' });
  return client.create(resource);
}

async function bodyFor(client: Client, item: Item, baseline: Baseline) {
  const { resource } = item;
  if (!baseline.json) return undefined;
  return identified(
    await client.body(resource, baseline, 'own', baseline === resource.change ? 'any field' : undefined),
    item,
  );
}

async function checkForeign(client: Client, resource: Resource, about: Baseline): Promise<void> {
  const item = await createForOther(client, resource);
  const body = await bodyFor(client, item, about);
  const response = await client.send(about, { at: item.at, caller: 'other', body });
  if (isSuccess(response) || response.status >= 500)
    fail(`expected another tenant to be refused, got ${response.status}`, response);
  if (about !== resource.read && (resource.read ?? resource.list))
    await client.expectRead(item, item.sent, 'another tenant tried to change it');
}

async function checkForeignList(client: Client, resource: Resource): Promise<void> {
  const { at, id } = await createForOther(client, resource);
  const first = await client.send(resource.list as Baseline, { at, caller: 'other' });
  if (!isSuccess(first)) return;
  const { ids, last } = await client.listAll(resource, { at, caller: 'other' });
  if (ids.includes(id)) fail(`another tenant finds ${id} in the list`, last);
}

async function createWithKey(client: Client, resource: Resource) {
  await client.create(resource);
  const { name = '' } = resource.create?.operation.parameters.find((each) => keyHeader.test(each.name)) ?? {};
  const headers = [[name, crypto.randomUUID()]] as const;
  const sent = await client.body(resource);
  const own = await client.tryCreate(resource, sent, { headers });
  if (!('resource' in own)) unmet('missing: a key that the server accepts');
  return { own, sent, headers };
}

async function checkRepeatedKey(client: Client, resource: Resource): Promise<void> {
  const { own, sent, headers } = await createWithKey(client, resource);
  const repeat = () => client.tryCreate(resource, sent, { headers });
  for (const again of [await repeat(), ...(await Promise.all([repeat(), repeat()]))])
    if ('resource' in again && again.id !== own.id)
      fail(`the repeated key has created ${again.id} beside ${own.id}`, again.response);
  const { own: other } = await createWithKey(client, resource);
  if (other.id === own.id) fail(`another key gives the same ${other.id}`, other.response);
  const { description = '' } = resource.create?.operation.parameters.find((each) => keyHeader.test(each.name)) ?? {};
  const changed = await client.tryCreate(resource, await client.body(resource), { headers });
  const isRefused = /\b(409|422|conflict|refus|reject|error)/i.test(description);
  if ('resource' in changed && (isRefused || changed.id !== own.id))
    fail('the repeated key is accepted with another body', changed.response);
}

async function checkStale(client: Client, resource: Resource, about: Baseline): Promise<void> {
  const item = await client.create(resource);
  const update = (resource.change ?? resource.replace) as Baseline;
  const { etag: stale = unmet('missing: an ETag of what was created') } = (await client.find(item)).response.headers;
  if (!(await client.update(item, update, (await bodyFor(client, item, update)) ?? {})))
    unmet('missing: an update that the server accepts');
  const { entity: now = {}, response: seen } = await client.find(item);
  const { etag: present = stale } = seen.headers;
  if (stale.startsWith('W/')) unmet('missing: a strong ETag');
  const body = await bodyFor(client, item, about);
  for (const value of [stale, '"never-given"']) {
    const response = await client.send(about, { at: item.at, headers: [['If-Match', value]], body });
    if (response.status !== 412)
      fail(`expected status 412 for the stale ETag ${value}, got ${response.status}`, response);
    await client.expectRead(item, ownFields(resource, now), 'a stale precondition');
  }
  const response = await client.send(about, { at: item.at, headers: [['If-Match', present]], body });
  if (response.status === 412) fail('the present ETag is refused as stale', response);
}

const methods = ['GET', 'PUT', 'POST', 'DELETE', 'PATCH'];

/** What an operation refuses, though another one would not. */
export function refusalRelations(baseline: Baseline, { baselines, document, resources }: Resources): Relation[] {
  const { operation, isPublic, isOwn, refusals } = baseline;
  if (isOwn) return [];
  const siblings = baselines.filter((each) => each.operation.path === operation.path);
  const listed = operation.security.flat();
  const others = credentialSchemes(document).filter(({ name }) => !listed.includes(name));
  // A path such as `/books/new` may be read as that of a book.
  const isAlike = (path: string) => isSamePath(path, operation.path);
  const known = baselines
    .filter((each) => isAlike(each.operation.path))
    .map((each) => each.operation.method.toUpperCase());
  const unlisted = methods.filter((method) => !known.includes(method));
  const isFirst = siblings.find((each) => each.refusals.method.length > 0) === baseline;
  const owner = resources.find((each) => isAtOrBelow(operation.path, each))?.create;
  return [
    {
      ...{ id: 'unlisted-scheme', title: 'a scheme that the operation does not list opens nothing', uses: [owner] },
      about: isPublic || refusals.credential.length === 0 || others.length === 0 ? undefined : baseline,
      needs: others.map(({ credential }) => credential),
      run: async (client) => {
        const at = await client.locate(operation.path);
        for (const scheme of others) {
          const response = await client.send(baseline, {
            at,
            credential: presented(scheme, client.credential(scheme.credential)),
          });
          if (!refusals.credential.includes(response.status))
            fail(`expected the credential of ${scheme.name} to be refused, got ${response.status}`, response);
        }
      },
    },
    {
      ...{ id: 'unlisted-methods', title: 'every method that the path does not document gets 405', uses: [owner] },
      about: isFirst && unlisted.length > 0 ? baseline : undefined,
      run: async (client) => {
        const at = await client.locate(operation.path);
        for (const method of unlisted) {
          const response = await client.send(baseline, { at, method });
          if (!refusals.method.includes(response.status))
            fail(`expected status 405 for ${method}, got ${response.status}`, response);
        }
      },
    },
  ];
}

/** Whether a path can match both templates. */
function isSamePath(one: string, other: string): boolean {
  const [ones, others] = [one.split('/'), other.split('/')];
  const isSame = (segment: string, at: number) =>
    segment === others[at] || [segment, others[at]].some((each) => each?.includes('{'));
  return ones.length === others.length && ones.every(isSame);
}
