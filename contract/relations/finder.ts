/** Where items are, and what is read and listed of them. */
import { parsed, told } from '../oracle/json.ts';
import { isDeepStrictEqual } from 'node:util';
import { pathTextOf, valueOfText } from '../oracle/parameters.ts';
import { isMocked } from '../oracle/response.ts';
import { oracleOf } from '../oracle/schema.ts';
import { successSchema, valueOf } from '../plan/parameters.ts';
import type { HttpResponse } from '../run/model.ts';
import {
  type At,
  type Caller,
  expectFields,
  fail,
  isSuccess,
  type Item,
  refusedWith,
  type Sending,
  unmet,
} from './exchange.ts';
import { nextCursor } from './listing/query-roles.ts';
import { References } from './references.ts';
import { ownerOf, type Resource } from './resources.ts';
import { type Fields, listedItems, pick } from './values.ts';
import { entityIn, identifierIn, placeOf, refersTo } from './identity.ts';

const mostPages = 40;

export abstract class Finder extends References {
  /** What was read of an item, by its validator. */
  readonly #validated = new Map<string, Fields>();

  /** The path parameters of an operation's path, of an item that is created if the document says how, or listed. */
  async locate(path: string, caller: Caller = 'own', except?: Resource): Promise<At> {
    const others = this.run.resources.filter((each) => each.path !== except?.path);
    const owner = ownerOf(path, others);
    // What is created has nothing of which only the identifier is known.
    if (!except && owner && path.slice(owner.path.length).includes('{')) return {};
    const at = owner?.create ? (await this.owner(owner, caller)).at : owner && (await this.listed(owner, caller)).at;
    return { ...at, ...(await this.#named(path, { ...at }, caller)) };
  }

  /** The path parameters that name what has no path of its own, as in `/assignments/{assignment_id}/submissions`. */
  async #named(path: string, known: At, caller: Caller): Promise<At> {
    const { resources, baselines } = this.run;
    const { parameters = [] } = baselines.find(({ operation }) => operation.path === path)?.operation ?? {};
    const named: Record<string, string> = {};
    for (const parameter of parameters.filter(
      ({ in: place, name, value }) => place === 'path' && value === undefined && !(name in known),
    )) {
      const of = resources.find(
        (each) => each.create && !each.read && refersTo(each, parameter.name, parameter.schema, resources),
      );
      const id = of && (await this.idOf(of, caller));
      if (id !== undefined) named[parameter.name] = pathTextOf(parameter, id) ?? id;
    }
    return named;
  }

  /** The path parameters of the first item of a list, unless the tester has given them, and the identifiers of all on its page. */
  protected async listed(resource: Resource, caller: Caller): Promise<{ at: At; ids: readonly string[] }> {
    const { list, parameter } = resource;
    if (!list || parameter.value !== undefined) return { at: {}, ids: [] };
    const at = await this.locate(list.operation.path, caller, resource);
    const { parameters } = list.operation;
    if (parameters.some((each) => each.required && !(each.name in at) && valueOf(each) === undefined))
      return { at, ids: [] };
    const items = listedItems(parsed((await this.send(list, { at, caller })).text)) ?? [];
    const ids = items.flatMap((each) => identifierIn(each, resource) ?? []);
    const isValid = (each: string) =>
      oracleOf(parameter.schema)(valueOfText(parameter.schema, decodeURIComponent(placeOf(resource, each)))).length ===
      0;
    const id = ids.find(isValid);
    return { at: id === undefined ? at : { ...at, [parameter.name]: placeOf(resource, id) }, ids };
  }

  /** The representation of an item, read or listed; undefined if it is gone. */
  async find({ resource, at, id, caller }: Omit<Item, 'response' | 'fields'>) {
    if (resource.read) {
      const response = await this.send(resource.read, { at, caller });
      const entity = isSuccess(response) ? entityIn(parsed(response.text), resource) : undefined;
      if (entity && !isMocked(response)) {
        if (resource.read.operation.responses['304']) this.#expectOwnValidator(resource, entity, response);
      }
      return { entity, response };
    }
    const { items, ids, last } = await this.listAll(resource, { at, caller });
    return { entity: items[ids.indexOf(id)], response: last };
  }

  /** @throws {Error} if a representation with other values that clients write had the same strong validator (RFC 9110, section 8.8.1) */
  #expectOwnValidator({ sent }: Resource, entity: Fields, response: HttpResponse): void {
    const { etag = '' } = response.headers;
    const now = pick(entity, Object.keys(sent.properties));
    const key = `${etag} ${told(entity['id'])}`;
    const before = etag.startsWith('"') ? this.#validated.get(key) : undefined;
    const [name] = Object.keys(now).filter((each) => before && !isDeepStrictEqual(before[each], now[each]));
    if (name !== undefined)
      fail(`the ETag is still ${etag}, and ${name} is ${told(now[name])}, and was ${told(before?.[name])}`, response);
    this.#validated.set(key, now);
  }

  /** @throws {Error} if an item cannot be read, or has not the expected fields */
  async expectRead(item: Item, when = 'it was created', expected: Fields = item.fields) {
    const { id, resource } = item;
    const { entity, response } = await this.find(item);
    if (!entity) fail(`expected to find ${id} after ${when}, got ${response.status}`, response);
    const found = identifierIn(entity, resource);
    if (found !== undefined && found !== id && resource.create?.operation.method !== 'put')
      fail(`expected to find ${id} after ${when}, found ${found}`, response);
    expectFields(resource, expected, { entity, response }, when);
    return { entity, response };
  }

  /** Reads a list page by page, to its end if it can. @param paged.size that of a page; by default the largest */
  async listAll(resource: Resource, paged: Sending & { size?: number | undefined; isSure?: boolean } = {}) {
    const { size, isSure = false, ...sending } = paged;
    const { list, query: roles } = resource;
    if (!list || !roles) unmet(`missing: an operation that reads ${resource.path}`);
    const at = sending.at ?? (await this.locate(list.operation.path, sending.caller, resource));
    const { limit, offset, page, cursor } = roles.paging;
    const length = Math.max(size ?? Math.min(limit?.schema.maximum ?? 100, 100), limit?.schema.minimum ?? 1);
    const items: Fields[] = [];
    let position: Record<string, string> = {};
    for (let pages = 1; ; pages += 1) {
      const query = { ...(limit && { [limit.name]: String(length) }), ...position, ...sending.query };
      const last = await this.send(list, { ...sending, at, query });
      if (isSure && [400, 422].includes(last.status)) fail('values that the document allows are refused', last);
      if (!isSuccess(last) && pages === 1) refusedWith('a list that can be read', last);
      const found = isSuccess(last) ? listedItems(parsed(last.text)) : undefined;
      if (!found) fail('expected a page of the list', last);
      const isEmpty = cursor && pages > 1 && found.length === 0;
      if (isEmpty && /\blast (page|one)\b/i.test(JSON.stringify(successSchema(list.operation))))
        fail('the cursor of a last page leads to an empty one', last);
      items.push(...found);
      const ids = items.map((each) => identifierIn(each, resource) ?? '');
      const next = cursor && nextCursor(parsed(last.text), last.headers['link'], cursor, ids.at(-1));
      const first = Number(page?.schema.minimum ?? page?.schema.default ?? 1);
      if (next !== undefined && cursor) position = { [cursor.name]: next };
      else if (offset) position = { [offset.name]: String(items.length) };
      else if (page) position = { [page.name]: String(first + pages) };
      const isPaged = cursor !== undefined || (offset ?? page) !== undefined;
      const hasMore = cursor ? next !== undefined : found.length > 0 && isPaged;
      if (hasMore && next !== 'unknown' && pages < mostPages) continue;
      return { items, ids, complete: !hasMore && (isPaged || !limit || found.length < length), last };
    }
  }
}
