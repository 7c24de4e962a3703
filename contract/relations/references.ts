/** Which fields name other items, the items that they name, and identifiers that nothing has. */
import { textsMatching } from '../dimensions/samples.ts';
import type { Schema } from '../document/model.ts';
import { oracleOf } from '../oracle/schema.ts';
import { isObject } from '../oracle/json.ts';
import { fieldsOf } from '../document/schemas.ts';
import { type At, type Caller, type Item, typed } from './exchange.ts';
import { isAtOrBelow, type Resource } from './resources.ts';
import { Sender } from './sender.ts';
import { type Fields, plainName, singular } from './values.ts';
import { refersTo } from './identity.ts';

export abstract class References extends Sender {
  /** Whether fields refer to the items that the tester has given, rather than to new ones. */
  namesGiven = false;
  /** Items that others refer to, by the caller and the path. */
  readonly #owners = new Map<string, Item>();
  /** Those whose items are being created or looked for, as others refer to them. */
  readonly #sought = new Set<Resource>();

  /** Creates an item that others refer to. */
  abstract createAsShown(resource: Resource, caller: Caller): Promise<Item>;

  /** The path parameters of the first item of a list, and the identifiers of all on its page. */
  protected abstract listed(resource: Resource, caller: Caller): Promise<{ at: At; ids: readonly string[] }>;

  /** The fields that name an item of another resource, or several. @param isOwn whether they may name one of the same */
  referencesIn(
    value: Fields,
    resource: Resource,
    {
      isNaming = this.run.freedoms.get(resource.path)?.endsWith('named items') === true,
      fields = resource.sent.properties,
      isOwn = false,
    } = {},
  ): [name: string, of: Resource][] {
    const { resources } = this.run;
    const isKnown = ({ path, create, list }: Resource) => (isOwn || path !== resource.path) && (create ?? list);
    const others = resources.filter(isKnown);
    return Object.entries(value).flatMap(([name, each]): [string, Resource][] => {
      const [first] = [each].flat();
      // As in `room` or `fromRoomId`.
      const isEnd = (of: string) =>
        new RegExp(`_${of}_id$|[a-z]${of.charAt(0).toUpperCase()}${of.slice(1)}Id$`).test(name);
      const isNamed = (kind: Resource) => isNaming && (singular(plainName(name)) === kind.name || isEnd(kind.name));
      const other = others.find((kind) => refersTo(kind, name, fields[name], resources) || isNamed(kind));
      return other && ['string', 'number'].includes(typeof first) ? [[name, other]] : [];
    });
  }

  /** The fields by which what is created may name an item of a resource. */
  fieldsNaming(resource: Resource): [of: Resource, name: string][] {
    const others = this.run.resources.filter(({ create, path }) => create && path !== resource.path);
    return others.flatMap((other) => {
      const names = Object.keys(other.sent.properties).map((name) => [name, ''] as const);
      const references = this.referencesIn(Object.fromEntries(names), other, { isNaming: true });
      return references.flatMap(([name, of]): [Resource, string][] =>
        of.path === resource.path ? [[other, name]] : [],
      );
    });
  }

  /** An identifier that a client may choose, and that nothing has. */
  chosenId(schema: Schema = {}): string {
    this.run.identifiers += 1;
    const { type = 'string', format, pattern, maxLength = Infinity, enum: values = [] } = schema;
    const { tag, identifiers } = this.run;
    if (values.length > 0) return String(values[identifiers % values.length]);
    if (format === 'uuid') return crypto.randomUUID();
    if (type !== 'string') return String(1_000_000 + identifiers);
    const usual = `${tag}${identifiers}`.slice(-maxLength);
    const isValid = oracleOf(schema);
    const others = [
      `${usual}@example.com`,
      ...(pattern === undefined ? [] : textsMatching(pattern, Number.parseInt(tag, 36) + identifiers, 20)),
    ];
    return [usual, ...others].find((text) => isValid(text).length === 0) ?? usual;
  }

  /** @param which of several, if one item refers to more of them */
  protected async owner(resource: Resource, caller: Caller, which = 0): Promise<Item> {
    const key = `${caller} ${which} ${resource.path}`;
    const item = this.#owners.get(key) ?? (await this.createAsShown(resource, caller));
    this.#owners.set(key, item);
    return item;
  }

  /** The items that others refer to. */
  get owners(): Item[] {
    return [...this.#owners.values()];
  }

  /**
   * A value with identifiers of items that exist where it names others, at any depth. What it names twice, as `from_account_id` and
   * `to_account_id`, are two items.
   * @param fields the schemas of its fields
   */
  async withReferences(
    value: unknown,
    resource: Resource,
    caller: Caller = 'own',
    fields: Readonly<Record<string, Schema>> = resource.sent.properties,
  ): Promise<unknown> {
    if (Array.isArray(value)) {
      const all = await Promise.all(value.map((each) => this.withReferences(each, resource, caller, fields)));
      const distinct: unknown[] = [];
      for (const each of all) {
        const named = isObject(each) ? this.referencesIn(each, resource, { fields }) : [];
        const isOnce = (of: Resource) => named.filter(([, other]) => other === of).length === 1;
        const [[name, of] = []] = named.filter(
          ([field, other]) =>
            isOnce(other) && distinct.some((one) => isObject(one) && isObject(each) && one[field] === each[field]),
        );
        if (name === undefined) distinct.push(each);
        // Two that are to name different items may not name the same one.
        else if (of?.create && isObject(each) && distinct.length === 1)
          distinct.push({ ...each, [name]: typed(each[name], (await this.owner(of, caller, 1)).id) });
      }
      return distinct;
    }
    if (!isObject(value)) return value;
    const references = new Map(this.referencesIn(value, resource, { fields }));
    const counts = new Map<Resource, number>();
    const referring: Fields = {};
    for (const [name, each] of Object.entries(value)) {
      const other = references.get(name);
      const [first] = [each].flat();
      const which = (other && counts.get(other)) ?? 0;
      const id = other && (await this.idOf(other, caller, String(first), which));
      if (other) counts.set(other, which + 1);
      const { [name]: schema = {} } = fields;
      referring[name] =
        id === undefined
          ? await this.withReferences(each, resource, caller, fieldsOf(schema.items ?? schema))
          : Array.isArray(each)
            ? [typed(first, id)]
            : typed(first, id);
    }
    return referring;
  }

  /** What is created from now on refers to other items. */
  forgetReferences({ path, create }: Resource): void {
    const places = [path, create?.operation.path ?? path];
    this.forgetOwners((owner) => !places.some((each) => isAtOrBelow(each, owner)));
  }

  protected forgetOwners(isIt: (owner: Resource) => boolean): void {
    for (const [key, { resource }] of this.#owners) if (isIt(resource)) this.#owners.delete(key);
  }

  /**
   * The identifier of an item that there is; undefined if it can be neither created nor found, or refers to what is to refer to it.
   * @param given which stays if the item is listed, and cannot be created
   * @param which of several
   */
  async idOf(resource: Resource, caller: Caller = 'own', given?: string, which = 0): Promise<string | undefined> {
    const { name, value } = resource.parameter;
    if ((!resource.create || this.namesGiven) && value !== undefined)
      return typeof value === 'string' ? value : JSON.stringify(value);
    const known = this.#owners.get(`${caller} ${which} ${resource.path}`);
    if (known || this.#sought.has(resource)) return known?.id;
    this.#sought.add(resource);
    try {
      if (resource.create) return (await this.owner(resource, caller, which)).id;
      const { at, ids } = await this.listed(resource, caller);
      const { [name]: text } = at;
      return given !== undefined && ids.includes(given) ? given : text && decodeURIComponent(text);
    } finally {
      this.#sought.delete(resource);
    }
  }
}
