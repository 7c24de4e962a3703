/** A server of openapi.yaml beside it, which conforms unless one of the faults is switched on. */
import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { buffer } from 'node:stream/consumers';

/** What goes wrong, if it is switched on: the server asks `is(fault)` where that would be. */
export type LibraryFault =
  | 'add-not-kept' // an added book gets 201 and is not kept
  | 'replace-merges' // a replacement keeps the optional fields that it leaves out
  | 'change-resets' // a change sets fields that it does not name to their defaults
  | 'remove-keeps-in-lists' // a removed book cannot be read, and stays in the lists
  | 'remove-takes-neighbour' // the removal of a book removes the one added after it
  | 'price-fraction' // a price such as 19.99 is no multiple of 0.01
  | 'genre-ignored' // the filter genre is ignored
  | 'filter-after-limit' // the filter applies to a page, not to all books
  | 'sort-as-text' // pages are sorted as texts
  | 'foreign-read' // a library can read the books of others by id
  | 'reader-saves' // the token of a reader opens the settings for writing
  | 'stale-remove' // a removal with a stale If-Match is accepted
  | 'key-ignored' // a repeated idempotency key adds a second book
  | 'cover-as-text'; // covers are read as UTF-8

type Fields = Record<string, unknown>;
type Book = Fields & { id: string; pages: number };
type Rules = Readonly<Record<string, (value: unknown) => boolean>>;

interface Library {
  readonly books: Map<string, Book>;
  readonly asAdded: Map<string, Book>;
  readonly loans: (Fields & { id: number; book_id: string })[];
  readonly covers: Map<string, Buffer>;
  readonly keys: Map<string, { body: string; response: LibraryResponse }>;
  settings: Fields;
}

interface LibraryResponse {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Call {
  readonly library: Library;
  readonly others: readonly Library[];
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  readonly is: (fault: LibraryFault) => boolean;
}

/** What the first library has from the start: a book, lent once. */
export const given = { book_id: '3f2c1b6a-8a37-4d52-9d7e-0c4f6a1b2e3d', loan_id: 1 };
export const tokens = {
  reader: ['token-of-the-north', 'token-of-the-south'],
  manager: ['key-of-north', 'key-of-south'],
};

const genres = ['novel', 'poetry', 'science', 'history'];
const text =
  (least: number, most: number) =>
  (value: unknown): boolean =>
    typeof value === 'string' && Array.from(value).length >= least && Array.from(value).length <= most;
const whole =
  (least: number, most: number) =>
  (value: unknown): boolean =>
    Number.isInteger(value) && Number(value) >= least && Number(value) <= most;
const orNull =
  (rule: (value: unknown) => boolean) =>
  (value: unknown): boolean =>
    value === null || rule(value);
const isFlag = (value: unknown) => typeof value === 'boolean';
const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const bookRules = (is: Call['is']): Rules => ({
  title: text(1, 120),
  author: text(1, 80),
  genre: (value) => genres.includes(String(value)),
  pages: whole(1, 10_000),
  subtitle: orNull(text(0, 60)),
  price: (value) =>
    typeof value === 'number' &&
    value >= 0 &&
    value <= 9999.99 &&
    (is('price-fraction') ? value % 0.01 === 0 : Math.abs(value * 100 - Math.round(value * 100)) < 1e-6),
  shelf: orNull(whole(-2, 40)),
  language: (value) => /^[a-z]{2}$/.test(String(value)) && typeof value === 'string',
  in_print: isFlag,
  tags: (value) => Array.isArray(value) && value.length <= 5 && value.every(text(1, 20)),
  remarks: (value) =>
    isObject(value) && Object.keys(value).length <= 3 && Object.values(value).every((each) => text(0, 50)(each)),
});
const bookDefaults = { language: 'en', in_print: true, tags: [], remarks: {} };
const bookNeeds = ['title', 'author', 'genre', 'pages'];
const loanRules: Rules = {
  reader: text(1, 60),
  due: (value) => typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value) && !Number.isNaN(Date.parse(value)),
  note: orNull(text(0, 200)),
  returned: isFlag,
};
const settingRules: Rules = { loan_days: whole(1, 90), greeting: text(0, 200), notify: isFlag };

const refused = (status: number, message = 'refused'): LibraryResponse => ({
  status,
  body: { code: String(status), message },
});

function parsed({ bytes }: Call, rules: Rules, needs: readonly string[]): Fields | undefined {
  try {
    const value: unknown = JSON.parse(bytes.toString());
    const isRight =
      isObject(value) &&
      needs.every((name) => Object.hasOwn(value, name)) &&
      Object.entries(value).every(([name, each]) => Object.hasOwn(rules, name) && rules[name]?.(each) === true);
    return isRight ? value : undefined;
  } catch {
    return undefined;
  }
}

const etagOf = ({ updated_at: _updated, ...book }: Book): string =>
  `"${createHash('sha256').update(JSON.stringify(book)).digest('hex').slice(0, 16)}"`;

const shown = (book: Book): LibraryResponse => ({ status: 200, body: book, headers: { ETag: etagOf(book) } });

/** RFC 7396, for an object of texts. */
const merged = (before: unknown, change: Fields): Fields => ({ ...(before as Fields), ...change });

/** Whether If-Match names another state than that of the book. */
function isStale({ headers }: Call, book: Book): boolean {
  const wanted = headers['if-match'];
  return wanted !== undefined && wanted !== '*' && !wanted.split(/, */).includes(etagOf(book));
}

function addBook(call: Call): LibraryResponse {
  const { library, headers, bytes, is } = call;
  const fields = parsed(call, bookRules(is), bookNeeds);
  if (!fields) return refused(400);
  const key = headers['idempotency-key'];
  if (key !== undefined && !text(1, 100)(key)) return refused(400);
  const known = library.keys.get(String(key));
  if (key !== undefined && known && !is('key-ignored'))
    return known.body === bytes.toString() ? known.response : refused(409);
  const id = randomUUID();
  const now = new Date().toISOString();
  const named: Fields = { ...bookDefaults, ...fields };
  const book: Book = { ...named, id, pages: Number(fields['pages']), added_at: now, updated_at: now };
  if (!is('add-not-kept')) library.books.set(id, book);
  library.asAdded.set(id, book);
  const response = { status: 201, body: book, headers: { ETag: etagOf(book), Location: `/books/${id}` } };
  if (key !== undefined) library.keys.set(String(key), { body: bytes.toString(), response });
  return response;
}

function listBooks({ library, query, is }: Call): LibraryResponse {
  const get = (name: string) => query.get(name) ?? undefined;
  const limit = Number(get('limit') ?? 20);
  const isValid =
    whole(1, 100)(limit) &&
    (get('genre') === undefined || genres.includes(get('genre') ?? '')) &&
    ['true', 'false', undefined].includes(get('in_print')) &&
    (get('min_pages') === undefined || (/^\d+$/.test(get('min_pages') ?? '') && Number(get('min_pages')) > 0)) &&
    (get('cursor') === undefined || /^[\w-]+$/.test(get('cursor') ?? '')) &&
    text(0, 80)(get('author') ?? '') &&
    text(0, 120)(get('q') ?? '') &&
    ['title', '-title', 'pages', '-pages', 'added_at', undefined].includes(get('sort'));
  if (!isValid) return refused(400);
  const matches = (book: Book) =>
    (is('genre-ignored') || [undefined, book['genre']].includes(get('genre'))) &&
    [undefined, book['author']].includes(get('author')) &&
    [undefined, String(book['in_print'])].includes(get('in_print')) &&
    book.pages >= Number(get('min_pages') ?? 0) &&
    String(book['title'])
      .toLowerCase()
      .includes((get('q') ?? '').toLowerCase());
  const sort = get('sort') ?? 'added_at';
  const field = sort.replace('-', '');
  const isBefore = (one: unknown, other: unknown) =>
    typeof one === 'number' && !is('sort-as-text') ? one < Number(other) : String(one) < String(other);
  const order = (one: Book, other: Book) => {
    const sign = sort.startsWith('-') ? -1 : 1;
    return sign * (Number(isBefore(other[field], one[field])) - Number(isBefore(one[field], other[field])));
  };
  const all = [...library.books.values()];
  if (is('remove-keeps-in-lists'))
    all.push(...[...library.asAdded.values()].filter(({ id }) => !library.books.has(id)));
  const found = (is('filter-after-limit') ? all : all.filter(matches)).sort(order);
  const start = get('cursor') === undefined ? 0 : Number(Buffer.from(get('cursor') ?? '', 'base64url').toString());
  const end = Math.min(found.length, start + limit);
  const page = found.slice(start, end).filter(matches);
  const cursor = end < found.length ? Buffer.from(String(end)).toString('base64url') : null;
  return { status: 200, body: { items: page, next_cursor: cursor, total: found.length } };
}

function oneBook(method: string, id: string, call: Call): LibraryResponse {
  const { library, others, headers, is } = call;
  const reached = [library, ...(method === 'GET' && is('foreign-read') ? others : [])];
  const { books } = reached.find((each) => each.books.has(id)) ?? library;
  const book = books.get(id);
  if (!book) return refused(404);
  if (method === 'GET') return headers['if-none-match'] === etagOf(book) ? { status: 304 } : shown(book);
  if (isStale(call, book) && !(is('stale-remove') && method === 'DELETE')) return refused(412);
  if (method === 'DELETE') {
    const all = [...books.keys()];
    books.delete(id);
    if (is('remove-takes-neighbour')) books.delete(all[all.indexOf(id) + 1] ?? '');
    return { status: 204 };
  }
  const fields = parsed(call, bookRules(is), method === 'PUT' ? bookNeeds : []);
  if (!fields) return refused(400);
  const whole = method === 'PUT' && !is('replace-merges');
  const resets = is('change-resets') && method === 'PATCH' ? bookDefaults : {};
  const now = new Date().toISOString();
  const remarks = method === 'PATCH' && isObject(fields['remarks']) && merged(book['remarks'], fields['remarks']);
  const changed = {
    ...(whole ? bookDefaults : book),
    ...resets,
    ...fields,
    ...(remarks && { remarks }),
    ...{ id, added_at: book['added_at'], updated_at: now },
  } as Book;
  books.set(id, changed);
  return shown(changed);
}

function cover(method: string, id: string, { library, bytes, is }: Call): LibraryResponse {
  if (method === 'GET') {
    return library.covers.has(id) ? { status: 200, body: library.covers.get(id) } : refused(404);
  }
  if (!library.books.has(id)) return refused(404);
  if (bytes.length === 0) return refused(400);
  library.covers.set(id, is('cover-as-text') ? Buffer.from(bytes.toString()) : bytes);
  return { status: 204 };
}

function loansOf(method: string, id: string, call: Call): LibraryResponse {
  const { library, query } = call;
  if (!library.books.has(id)) return refused(404);
  if (method === 'POST') {
    const fields = parsed(call, loanRules, ['reader', 'due']);
    if (!fields) return refused(400);
    const loan = { note: null, returned: false, ...fields, id: library.loans.length + 1, book_id: id };
    library.loans.push(loan);
    return { status: 201, body: loan, headers: { Location: `/books/${id}/loans/${loan.id}` } };
  }
  const [limit, offset] = [Number(query.get('limit') ?? 10), Number(query.get('offset') ?? 0)];
  const returned = query.get('returned');
  if (!whole(1, 50)(limit) || !whole(0, Infinity)(offset) || ![null, 'true', 'false'].includes(returned))
    return refused(400);
  const found = library.loans
    .filter((loan) => loan.book_id === id)
    .filter((loan) => returned === null || String(loan['returned']) === returned);
  return { status: 200, body: found.slice(offset, offset + limit) };
}

function settingsOf(method: string, call: Call): LibraryResponse {
  const { library } = call;
  if (method === 'GET') return { status: 200, body: library.settings };
  const fields = parsed(call, settingRules, Object.keys(settingRules));
  if (!fields) return refused(400);
  library.settings = fields;
  return { status: 200, body: fields };
}

function respondTo(method: string, path: string, call: Call): LibraryResponse {
  const [, first, id = '', part, loan] = path.split('/');
  const allowed: Record<string, readonly string[]> = {
    '/books': ['GET', 'POST'],
    '/books/id': ['GET', 'PUT', 'PATCH', 'DELETE'],
    '/books/id/cover': ['GET', 'PUT'],
    '/books/id/loans': ['GET', 'POST'],
    '/books/id/loans/id': ['GET'],
    '/settings': ['GET', 'PUT'],
  };
  const shape = `/${first}${id === '' ? '' : '/id'}${part === undefined ? '' : `/${part}`}${loan === undefined ? '' : '/id'}`;
  const methods = allowed[shape];
  if (!methods) return refused(404);
  if (!methods.includes(method)) return refused(405);
  if (path === '/settings') return settingsOf(method, call);
  if (id === '') return method === 'POST' ? addBook(call) : listBooks(call);
  const mayBeInvalid = part === 'loans' || (part === 'cover' && method === 'PUT');
  if (mayBeInvalid && !/^[0-9a-f-]{36}$/.test(id)) return refused(400);
  if (part === undefined) return oneBook(method, id, call);
  if (part === 'cover') return cover(method, id, call);
  if (loan === undefined) return loansOf(method, id, call);
  if (!/^[1-9]\d*$/.test(loan)) return refused(400);
  const { books, loans } = call.library;
  const found = books.has(id) && loans.find((each) => each.book_id === id && String(each.id) === loan);
  return found ? { status: 200, body: found } : refused(404);
}

/** @param fault the fault that is switched on; none if it is undefined */
export function createLibraryServer(fault?: LibraryFault, onRequest: () => void = () => undefined): Server {
  const settings = { loan_days: 14, greeting: 'Welcome', notify: false };
  const libraries = tokens.reader.map((): Library => ({
    ...{ books: new Map(), asAdded: new Map(), loans: [], covers: new Map(), keys: new Map() },
    settings,
  }));
  const [first] = libraries;
  const [now, id] = [new Date().toISOString(), given.book_id];
  const emma = { title: 'Emma', author: 'Jane Austen', genre: 'novel', pages: 474 };
  first?.books.set(id, { ...bookDefaults, ...emma, id, added_at: now, updated_at: now });
  first?.loans.push({ id: 1, book_id: id, reader: 'Ada', due: '2026-12-01', note: null, returned: false });
  first?.covers.set(id, Buffer.from([1, 2, 3]));
  const is = (each: LibraryFault) => each === fault;
  return createServer((request, response) => {
    const { method = '', headers } = request;
    const url = new URL(request.url ?? '', 'http://library');
    const isManaged = url.pathname === '/settings' && method === 'PUT';
    const asReader = tokens.reader.indexOf(/^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? '');
    const asManager = tokens.manager.indexOf(String(headers['x-manager-key']));
    const found = isManaged ? (is('reader-saves') && asManager < 0 ? asReader : asManager) : asReader;
    onRequest();
    void buffer(request).then((bytes) => {
      const library = libraries[found];
      const others = libraries.filter((each) => each !== library);
      const responded = library
        ? respondTo(method, url.pathname, { library, others, query: url.searchParams, headers, bytes, is })
        : refused(401);
      const { status, body, headers: more } = responded;
      const isFile = Buffer.isBuffer(body);
      response.writeHead(status, {
        ...(body !== undefined && { 'Content-Type': isFile ? 'application/octet-stream' : 'application/json' }),
        ...more,
      });
      response.end(isFile || body === undefined ? body : JSON.stringify(body));
    });
  });
}
