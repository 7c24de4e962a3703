/** Relations of products and orders: patches, prices, a search, several at once, an export, what is on hand, and states. */
import { fileURLToPath } from 'node:url';
import { entryOf, schemeEntry } from '../../contract/dimensions/credential-scheme.ts';
import { loadDocument } from '../../contract/document/index.ts';
import { testFaults } from '../support/planted-faults.ts';
import type { Behaviour, Call } from '../support/resource-server.ts';

const token = schemeEntry('token');
const secrets = { [token]: 'own-token', [entryOf('other', token)]: 'other-token' };
const api = await loadDocument(fileURLToPath(new URL('./documents/orders.yaml', import.meta.url)));

type Price = { amount: string; currency: string };
type Product = Record<'id' | 'sku' | 'name' | 'status', string> & { price: Price; on_hand: number };
type Line = { product_id: string; quantity: number; unit_price: Price };
type Fields = Product & { lines: Line[]; notes: string; quantity: number; items: Fields[] };

/** How a server does what the mutants do otherwise. */
const right = {
  changed: (_names: string[]) => 200,
  isSku: (_refused: string) => false,
  isLess: (one: string, other: string) => Number(one) < Number(other),
  isAtLeast: (amount: number, bound: number) => amount >= bound,
  folded: (text: string) => text.toLowerCase(),
  kept: (_invalid: number) => 0,
  exported: (now: string, _first: string) => now,
  isExported: (isOwn: boolean) => isOwn,
  cell: (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text),
  onHand: (now: number, _sent: unknown) => now,
  cents: (amount: string, quantity: number) => Number(amount.replace('.', '')) * quantity,
  mayChange: (status: string): boolean => status === 'draft',
  mayReopen: (status: string): boolean => status === 'cancelled',
  mayCancel: (_status: string) => true,
  stored: (notes: string) => notes,
  taken: (lines: Line[]) => lines,
  givenBack: (quantity: number) => quantity,
  moved: (now: number, quantity: number) => now + quantity,
};

function behaviour(ways: typeof right): Behaviour<Fields> {
  const firstExports: Record<string, string> = {};
  const totalOf = (line: Line) => (ways.cents(line.unit_price.amount, line.quantity) / 100).toFixed(2);
  const shownLine = (line: Line) => ({ ...line, line_total: { ...line.unit_price, amount: totalOf(line) } });

  function productOf(sent: Fields, one?: Fields) {
    const { sku, name, status } = Object.assign({ status: 'active' }, one, sent);
    const { amount, currency } = { ...one?.price, ...sent.price };
    const onHand = ways.onHand(one?.on_hand ?? 0, sent.on_hand);
    return { sku: sku.toUpperCase(), name, status, price: { amount, currency }, on_hand: onHand };
  }

  /** The lines of an order, if their products are active, and each is another one. */
  function linesOf(sent: Line[], { find }: Call<Fields>): Line[] | undefined {
    const lines = sent.flatMap(({ product_id: id, quantity }): Line[] => {
      const one = find('products', id);
      return one?.status === 'active' ? [{ product_id: id, quantity, unit_price: one.price }] : [];
    });
    return new Set(lines.map((each) => each.product_id)).size === sent.length ? lines : undefined;
  }

  function createAll(sent: Fields[], { refusal, create }: Call<Fields>): number | Fields[] {
    const made = sent.map((each) => productOf(each));
    const isTwin = (each: { sku: string }, at: number) => made.findIndex(({ sku }) => sku === each.sku) < at;
    if (made.some((each, at) => isTwin(each, at) || refusal('products', each) !== undefined)) return 409;
    return made.map((each) => create('products', each));
  }

  return {
    caller: ({ authorization = '' }) => /^Bearer (own|other)-token$/.exec(authorization)?.[1] ?? 401,
    enveloped: (shown) => (Array.isArray(shown) ? { items: shown } : shown),
    invalid(faults, call, act) {
      const [fault] = faults.filter(
        ({ field, rule }) => `${field} ${rule}` !== 'sku pattern' || !ways.isSku(call.sent.sku),
      );
      if (!fault) return act();
      const before = ways.kept(Number(fault.field?.split('/')[1]));
      if (before > 0) createAll(call.sent.items.slice(0, before), call);
      return 422;
    },
    kinds: {
      products: {
        refused: ({ sku }, { all }, item) =>
          all('products').some((each) => each !== item && each.sku === sku) ? 409 : undefined,
        listed(products, { query }) {
          const [least, sort, limit] = ['min_price', 'sort', 'limit'].map((name) => query.get(name));
          const found = products.filter(({ price }) => ways.isAtLeast(Number(price.amount), Number(least ?? -1)));
          if (sort) found.sort((one, other) => (ways.isLess(one.price.amount, other.price.amount) ? -1 : 1));
          return (sort === '-price' ? found.reverse() : found).slice(0, Number(limit ?? 100));
        },
      },
      movements: {},
      orders: { shown: (each) => ({ ...each, lines: each.lines.map(shownLine) }) },
    },
    acts: {
      createProduct(call) {
        const made = createAll([call.sent], call);
        return typeof made === 'number' ? made : (made[0] ?? 409);
      },
      createProducts: (call) => createAll(call.sent.items, call),
      updateProduct({ item, sent, refusal, shown }) {
        const changed = productOf(sent, item);
        const status = ways.changed(Object.keys(sent));
        return refusal('products', changed, item) ?? [status, shown(Object.assign(item, changed))];
      },
      createMovement({ item, sent: { quantity }, usual }) {
        item.on_hand = ways.moved(item.on_hand, quantity);
        return usual();
      },
      searchProducts({ query, all }) {
        const holds = (text: string) => ways.folded(text).includes(ways.folded(query.get('q') ?? ''));
        return all('products').filter((each) => [each.name, each.sku].some(holds));
      },
      exportProducts({ of, all, ofAnybody }) {
        const found = ofAnybody('products').filter((each) => ways.isExported(all('products').includes(each)));
        const rows = found.map(({ sku, name, price }) => `${sku},${ways.cell(name)},${price.amount}\r\n`);
        const now = ['sku,name,price\r\n', ...rows].join('');
        return [200, ways.exported(now, (firstExports[of] ??= now))];
      },
      createOrder(call) {
        const { lines: sent, notes } = Object.assign({ notes: '' }, call.sent);
        const lines = linesOf(sent, call);
        return lines ? call.create('orders', { status: 'draft', lines, notes: ways.stored(notes) }) : 422;
      },
      updateOrder(call) {
        const { item, fields } = call;
        const lines = 'lines' in call.sent ? linesOf(fields.lines, call) : item.lines;
        if (!lines || !ways.mayChange(item.status)) return lines ? 409 : 422;
        return Object.assign(item, { lines, notes: ways.stored('notes' in call.sent ? fields.notes : item.notes) });
      },
      confirmOrder({ item, find }) {
        const isThere = (line: Line) => Number(find('products', line.product_id)?.on_hand) >= line.quantity;
        if (item.status !== 'draft' || !item.lines.every(isThere)) return 409;
        for (const { product_id: id, quantity } of ways.taken(item.lines)) {
          const product = find('products', id);
          if (product) product.on_hand -= quantity;
        }
        return Object.assign(item, { status: 'confirmed' });
      },
      cancelOrder({ item, find }) {
        if (!ways.mayCancel(item.status)) return 409;
        for (const { product_id: id, quantity } of item.status === 'confirmed' ? ways.taken(item.lines) : []) {
          const product = find('products', id);
          if (product) product.on_hand += ways.givenBack(quantity);
        }
        return Object.assign(item, { status: 'cancelled' });
      },
      reopenOrder: ({ item }) => (ways.mayReopen(item.status) ? Object.assign(item, { status: 'draft' }) : 409),
    },
  };
}

testFaults(
  api,
  right,
  behaviour,
  [
    ['fails at {}', { changed: ([name]) => (name === undefined ? 500 : 200) }, ['explored.updateProduct.success']],
    ['accepts small letters', { isSku: (sku) => /^[a-z0-9-]{3,32}$/i.test(sku) }, ['explored.createProduct.body']],
    ['sorts prices as texts', { isLess: (one, other) => one < other }, ['listProducts.sorted']],
    ['leaves out the bound', { isAtLeast: (amount, bound) => amount > bound }, ['listProducts.filtered.min_price']],
    ['heeds the case of letters', { folded: (text) => text }, ['searchProducts.filtered.q']],
    ['creates what precedes an invalid item', { kept: (invalid) => invalid }, ['createProducts.several']],
    ['exports what it exported first', { exported: (_now, first) => first }, ['exportProducts.exported']],
    ['exports commas without quotes', { cell: (text) => text }, ['exportProducts.exported']],
    ['exports the products of others', { isExported: () => true }, ['exportProducts.other-tenant']],
    ['sets on_hand', { onHand: (now, sent) => Number(sent ?? now) }, ['createProduct.edges', 'updateProduct.edges']],
    ['rounds down', { cents: (amount, count) => Math.floor(count * Number(amount) * 100) }, ['createOrder.created']],
    ['changes what is confirmed', { mayChange: (status) => status !== 'cancelled' }, ['confirmOrder.acted']],
    ['reopens drafts', { mayReopen: (status) => status !== 'confirmed' }, ['reopenOrder.acted']],
    ['cancels once', { mayCancel: (status) => status !== 'cancelled' }, ['cancelOrder.acted']],
    ['knows Latin-1 alone', { stored: (notes) => notes.replace(/[^\0-\xff]/gu, '?') }, ['createOrder.edges']],
    ['takes the first line alone', { taken: (lines) => lines.slice(0, 1) }, ['confirmOrder.acted']],
    ['gives nothing back', { givenBack: () => 0 }, ['cancelOrder.acted']],
    ['moves nothing', { moved: (now) => now }, ['createMovement.said-of-creation']],
    ['cuts notes', { stored: (notes) => notes.slice(0, 100) }, ['createOrder.edges']],
  ],
  secrets,
);
