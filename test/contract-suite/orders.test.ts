/** Relations of products and orders: patches, prices, a search, an export, what only the server sets, and long texts. */
import { fileURLToPath } from 'node:url';
import { entryOf, schemeEntry } from '../../contract/dimensions/credential-scheme.ts';
import { loadDocument } from '../../contract/document/index.ts';
import { testFaults } from '../support/planted-faults.ts';
import type { Behaviour } from '../support/resource-server.ts';

const token = schemeEntry('token');
const secrets = { [token]: 'own-token', [entryOf('other', token)]: 'other-token' };
const api = await loadDocument(fileURLToPath(new URL('./documents/orders.yaml', import.meta.url)));

type Price = { amount: string; currency: string };
type Product = Record<'id' | 'sku' | 'name' | 'status', string> & { price: Price; on_hand: number };
type Line = { product_id: string };
type Fields = Product & { lines: Line[]; notes?: string };

/** How a server does what the mutants do otherwise. */
const right = {
  changed: (_names: string[]) => 200,
  isSku: (_refused: string) => false,
  isLess: (one: string, other: string) => Number(one) < Number(other),
  isAtLeast: (amount: number, bound: number) => amount >= bound,
  folded: (text: string) => text.toLowerCase(),
  exported: (now: string, _first: string) => now,
  isExported: (isOwn: boolean) => isOwn,
  cell: (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text),
  onHand: (now: number, _sent: unknown) => now,
  stored: (notes: string) => notes,
};

function behaviour(ways: typeof right): Behaviour<Fields> {
  const firstExports: Record<string, string> = {};

  function productOf(sent: Fields, one?: Fields) {
    const { sku, name, status } = Object.assign({ status: 'active' }, one, sent);
    const { amount, currency } = { ...one?.price, ...sent.price };
    const onHand = ways.onHand(one?.on_hand ?? 0, sent.on_hand);
    return { sku: sku.toUpperCase(), name, status, price: { amount, currency }, on_hand: onHand };
  }

  return {
    caller: ({ authorization = '' }) => /^Bearer (own|other)-token$/.exec(authorization)?.[1] ?? 401,
    enveloped: (shown) => (Array.isArray(shown) ? { items: shown } : shown),
    invalid(faults, call, act) {
      const isAllowed = ({ field, rule }: (typeof faults)[number]) =>
        `${field} ${rule}` === 'sku pattern' && ways.isSku(call.sent.sku);
      return faults.every(isAllowed) ? act() : 422;
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
      orders: {
        /** Each product must be active, and in one line only. */
        refused({ lines }, { find }) {
          const active = lines.filter((each) => find('products', each.product_id)?.status === 'active');
          return new Set(active.map((each) => each.product_id)).size === lines.length ? undefined : 422;
        },
      },
    },
    acts: {
      createProduct({ sent, refusal, create }) {
        const made = productOf(sent);
        return refusal('products', made) ?? create('products', made);
      },
      updateProduct({ item, sent, refusal, shown }) {
        const changed = productOf(sent, item);
        const status = ways.changed(Object.keys(sent));
        return refusal('products', changed, item) ?? [status, shown(Object.assign(item, changed))];
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
      createOrder({ fields, refusal, create }) {
        const refused = refusal('orders', fields);
        return refused ?? create('orders', { ...fields, notes: ways.stored(fields.notes ?? '') });
      },
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
    ['exports what it exported first', { exported: (_now, first) => first }, ['exportProducts.exported']],
    ['exports commas without quotes', { cell: (text) => text }, ['exportProducts.exported']],
    ['exports the products of others', { isExported: () => true }, ['exportProducts.other-tenant']],
    ['sets on_hand', { onHand: (now, sent) => Number(sent ?? now) }, ['createProduct.edges', 'updateProduct.edges']],
    ['knows Latin-1 alone', { stored: (notes) => notes.replace(/[^\0-\xff]/gu, '?') }, ['createOrder.edges']],
    ['cuts notes', { stored: (notes) => notes.slice(0, 100) }, ['createOrder.edges']],
  ],
  secrets,
);
