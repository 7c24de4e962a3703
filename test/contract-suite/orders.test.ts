/** Relations of products and orders: patches, prices, a search, several at once, an export, what is on hand, and states. */
import type { RequestListener } from 'node:http';
import { fileURLToPath } from 'node:url';
import { test } from '@jest/globals';
import { entryOf, schemeEntry } from '../../contract/dimensions/credential-scheme.ts';
import { loadDocument } from '../../contract/document/index.ts';
import { eachRun } from '../support/contract.ts';
import { describedServer, expectFailed, type Reply } from '../support/planted-faults.ts';

const run = eachRun();
const token = schemeEntry('token');
const secrets = { [token]: 'own-token', [entryOf('other', token)]: 'other-token' };
const api = await loadDocument(fileURLToPath(new URL('./documents/orders.yaml', import.meta.url)));

type Price = { amount: string; currency: string };
type Product = { id: string; of: string; sku: string; name: string; status: string; price: Price; on_hand: number };
type Line = { product_id: string; quantity: number; unit_price: Price };
type Order = { id: string; of: string; status: string; lines: Line[]; notes: string };
type Sent = Partial<Product> & Partial<Order> & { quantity?: number; items?: Sent[] };

/** How a server does what the mutants do otherwise. */
const right = {
  changed: (_names: string[]) => 200,
  isSku: (_refused: string) => false,
  isLess: (one: string, other: string) => Number(one) < Number(other),
  isAtLeast: (amount: number, bound: number) => amount >= bound,
  folded: (text: string) => text.toLowerCase(),
  kept: (_invalid: number) => 0,
  exported: (now: string, _first: string) => now,
  isExported: (each: Product, of: string) => each.of === of,
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

function orderServer(wrong: Partial<typeof right>): RequestListener {
  const ways = { ...right, ...wrong };
  const [products, orders, movements]: [Product[], Order[], [Product, object][]] = [[], [], []];
  const firstExports: Record<string, string> = {};
  const shown = ({ of: _of, ...each }: Product) => each;
  const totalOf = (line: Line) => (ways.cents(line.unit_price.amount, line.quantity) / 100).toFixed(2);
  const shownLine = (line: Line) => ({ ...line, line_total: { ...line.unit_price, amount: totalOf(line) } });
  const shownOrder = ({ of: _of, ...each }: Order) => ({ ...each, lines: each.lines.map(shownLine) });
  const isTaken = ({ of, id, sku }: Product, others: Product[] = []) =>
    [...products, ...others].some((each) => each.of === of && each.sku === sku && each.id !== id);
  const become = (order: Order, now: Partial<Order>): Reply => [200, shownOrder(Object.assign(order, now))];

  function productOf(of: string, sent: Sent, one?: Product): Product {
    const { sku, name, status } = { status: 'active', ...one, ...sent } as Product;
    const { amount, currency } = { ...one?.price, ...sent.price } as Price;
    const [id, now] = [one?.id ?? crypto.randomUUID(), ways.onHand(one?.on_hand ?? 0, sent.on_hand)];
    return { id, of, sku: sku.toUpperCase(), name, status, price: { amount, currency }, on_hand: now };
  }

  function create(of: string, sent: Sent[], shownOf: (made: object[]) => unknown): Reply {
    const made = sent.map((each) => productOf(of, each));
    if (made.some((each) => isTaken(each, made))) return [409];
    products.push(...made);
    return [201, shownOf(made.map(shown))];
  }

  /** The lines of an order, if their products are active, and each is another one. */
  function linesOf(of: string, sent: Line[] = []): Line[] | undefined {
    const lines = sent.flatMap(({ product_id: id, quantity }): Line[] => {
      const one = products.find((each) => each.id === id && each.of === of && each.status === 'active');
      return one ? [{ product_id: id, quantity, unit_price: one.price }] : [];
    });
    return new Set(lines.map((each) => each.product_id)).size === sent.length ? lines : undefined;
  }

  /** Takes what is ordered from what is on hand, or puts it back. @returns whether there is enough */
  function take({ lines }: Order, sign = 1): boolean {
    const isThere = (line: Line) =>
      products.some((each) => each.id === line.product_id && each.on_hand >= line.quantity);
    if (sign > 0 && !lines.every(isThere)) return false;
    for (const { product_id: id, quantity } of ways.taken(lines)) {
      const product = products.find((each) => each.id === id);
      if (product) product.on_hand -= sign > 0 ? quantity : -ways.givenBack(quantity);
    }
    return true;
  }

  const ofProduct: Record<string, (product: Product, sent: Sent) => Reply> = {
    getProduct: (product) => [200, shown(product)],
    updateProduct(product, sent) {
      const changed = productOf(product.of, sent, product);
      return isTaken(changed) ? [409] : [ways.changed(Object.keys(sent)), shown(Object.assign(product, changed))];
    },
    deleteProduct: (product) => [products.splice(products.indexOf(product), 1).length === 1 ? 204 : 404],
    listMovements: (product) => [200, { items: movements.filter(([of]) => of === product).map(([, each]) => each) }],
    createMovement(product, { quantity = 0 }) {
      product.on_hand = ways.moved(product.on_hand, quantity);
      movements.push([product, { id: crypto.randomUUID(), quantity }]);
      return [201, movements.at(-1)?.[1]];
    },
  };

  const ofOrder: Record<string, (order: Order, sent: Sent) => Reply> = {
    getOrder: (order) => become(order, {}),
    updateOrder(order, sent) {
      const lines = sent.lines ? linesOf(order.of, sent.lines) : order.lines;
      if (!ways.mayChange(order.status) || !lines) return [lines ? 409 : 422];
      return become(order, { lines, notes: ways.stored(sent.notes ?? order.notes) });
    },
    confirmOrder: (order) => (order.status === 'draft' && take(order) ? become(order, { status: 'confirmed' }) : [409]),
    cancelOrder(order) {
      if (!ways.mayCancel(order.status)) return [409];
      return order.status !== 'confirmed' || take(order, -1) ? become(order, { status: 'cancelled' }) : [404];
    },
    reopenOrder: (order) => (ways.mayReopen(order.status) ? become(order, { status: 'draft' }) : [409]),
  };

  const ofAll: Record<string, (of: string, sent: Sent, query: URLSearchParams) => Reply> = {
    listProducts(of, _sent, query) {
      const [least, sort, limit] = ['min_price', 'sort', 'limit'].map((name) => query.get(name));
      const isFound = ({ price }: Product) => ways.isAtLeast(Number(price.amount), Number(least ?? -1));
      const found = products.filter((each) => each.of === of && isFound(each));
      if (sort) found.sort((one, other) => (ways.isLess(one.price.amount, other.price.amount) ? -1 : 1));
      return [200, { items: (sort === '-price' ? found.reverse() : found).slice(0, Number(limit ?? 100)).map(shown) }];
    },
    createProduct: (of, sent) => create(of, [sent], ([made]) => made),
    createProducts: (of, { items = [] }) => create(of, items, (made) => ({ items: made })),
    searchProducts(of, _sent, query) {
      const holds = (text: string) => ways.folded(text).includes(ways.folded(query.get('q') ?? ''));
      return [
        200,
        { items: products.filter((each) => each.of === of && [each.name, each.sku].some(holds)).map(shown) },
      ];
    },
    exportProducts(of) {
      const rowOf = ({ sku, name, price }: Product) => `${sku},${ways.cell(name)},${price.amount}\r\n`;
      const now = ['sku,name,price\r\n', ...products.filter((each) => ways.isExported(each, of)).map(rowOf)].join('');
      return [200, ways.exported(now, (firstExports[of] ??= now))];
    },
    listOrders: (of) => [200, { items: orders.filter((each) => each.of === of).map(shownOrder) }],
    createOrder(of, { lines: sent, notes = '' }) {
      const lines = linesOf(of, sent);
      if (lines) orders.push({ id: crypto.randomUUID(), of, status: 'draft', lines, notes: ways.stored(notes) });
      return lines ? [201, orders.slice(-1).map(shownOrder)[0]] : [422];
    },
  };

  return describedServer(api, ({ operationId, id, query, sent: given, headers, faults }) => {
    const sent = given as Sent;
    const [, of = ''] = /^Bearer (own|other)-token$/.exec(headers.authorization ?? '') ?? [];
    const fault = faults.find(({ field, rule }) => `${field} ${rule}` !== 'sku pattern' || !ways.isSku(sent.sku ?? ''));
    const before = ways.kept(Number(fault?.field?.split('/')[1]));
    if (before > 0) create(of, sent.items?.slice(0, before) ?? [], () => undefined);
    const isHere = (each: { id: string; of: string }) => id === each.id && each.of === of;
    const [product, order] = [products.find(isHere), orders.find(isHere)];
    if (of === '' || fault) return [of === '' ? 401 : fault?.parameter?.in === 'path' ? 404 : 422];
    const ofOne = product ? ofProduct[operationId]?.(product, sent) : order && ofOrder[operationId]?.(order, sent);
    return ofOne ?? (product || order ? undefined : ofAll[operationId]?.(of, sent, query)) ?? [404];
  });
}

test.each<[title: string, wrong: Partial<typeof right>, failed: string[]]>([
  ['conforms', {}, []],
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
])('a server that %s', async (_title, wrong, failed) => {
  await expectFailed(await run.serve(orderServer(wrong)), api, failed, secrets);
});
