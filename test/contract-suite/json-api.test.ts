/** An API of JSON:API: relations see its attributes and relationships as fields. */
import { jsonApi } from '../../contract/relations/json-api.ts';
import { describedApi } from '../support/described-api.ts';
import { testFaults } from '../support/planted-faults.ts';
import type { Behaviour } from '../support/resource-server.ts';
import * as t from '../support/schemas.ts';

const name = { ...t.string, maxLength: 40 };
const newAuthor = t.object({ name });
const book = { title: name, pages: t.nullable(t.number(1, 9000)) };
const related = { author: t.partial({ data: t.partial({ type: t.oneOf('authors'), id: t.string }) }) };
const resource = (type: string, attributes: object, relationships = {}) => {
  const known = {
    type: t.oneOf(type),
    id: t.string,
    attributes: t.partial(attributes),
    relationships: t.partial(relationships),
  };
  return t.object(known, ['relationships']);
};
const [authors, books] = [
  resource('authors', { name: t.string, books: t.said(t.count, 'The number of books.') }),
  resource('books', book, related),
];
const of = (data: object) => t.partial({ data });
const listOf = (items: object) => t.partial({ data: t.list(items), links: t.partial({ next: t.nullable(t.string) }) });
const sent = (data: object) => t.object({ data });

const api = describedApi(
  {
    'GET /authors': ['listAuthors', { 200: listOf(authors) }],
    'POST /authors': [
      'addAuthor',
      {
        sent: sent(t.object({ type: t.oneOf('authors'), id: t.string, attributes: newAuthor }, ['id'])),
        201: of(authors),
      },
    ],
    'GET /authors/{id}': ['getAuthor', { 200: of(authors) }],
    'GET /books': [
      'listBooks',
      {
        parameters: [
          t.inQuery('filter[author]', t.string, { description: 'Only books of the author.' }),
          t.inQuery('page[number]', { ...t.number(1, 1000), default: 1 }),
          t.inQuery('page[size]', { ...t.number(1, 100), default: 10 }),
        ],
        200: listOf(books),
      },
    ],
    'POST /books': [
      'addBook',
      {
        sent: sent(
          t.object(
            {
              ...{ type: t.oneOf('books'), id: t.string, attributes: t.object(book, ['pages']) },
              relationships: t.object(related),
            },
            ['id'],
          ),
        ),
        201: of(books),
        404: 'There is no such author',
      },
    ],
    'GET /books/{id}': ['getBook', { 200: of(books) }],
    'PATCH /books/{id}': [
      'changeBook',
      {
        sent: sent(t.object({ type: t.oneOf('books'), id: t.string, attributes: t.partial(book) })),
        200: of(books),
        409: 'Another id',
      },
    ],
  },
  { title: 'JSON:API', invalid: 400, mediaType: jsonApi },
);

type Attributes = { title?: string; name?: string; pages?: number | null };
type Item = { id: string; attributes: Attributes; author?: string };
type Fields = Item & { data: Item & { relationships: { author: { data?: { id: string } } } } };

/** How a server does what the mutants do otherwise. */
const right = {
  changed: (old: Attributes, given: Attributes): Attributes => ({ ...old, ...given }),
  hasAuthor: (isKnown: boolean) => isKnown,
  isOf: (book: Fields, asked: string) => book.author === asked,
  next: (query: string) => query,
  count: (books: number) => books,
};

function behaviour(ways: typeof right): Behaviour<Fields> {
  return {
    mediaType: jsonApi,
    enveloped: (data) => ({ data, ...(Array.isArray(data) && { links: { next: null } }) }),
    kinds: {
      authors: {
        shown({ id, attributes }, { all }) {
          const { length } = all('books').filter((each) => each.author === id);
          return { type: 'authors', id, attributes: { ...attributes, books: ways.count(length) } };
        },
      },
      books: {
        shown: ({ id, attributes, author }) => {
          return {
            type: 'books',
            id,
            attributes,
            relationships: { author: { data: { type: 'authors', id: author } } },
          };
        },
        listed(all, { query, shown }) {
          const asked = query.get('filter[author]');
          const [page, size] = [Number(query.get('page[number]') ?? 1), Number(query.get('page[size]') ?? 10)];
          const found = all.filter((each) => asked === null || ways.isOf(each, asked));
          const other = new URLSearchParams(ways.next(query.toString()));
          other.set('page[number]', String(page + 1));
          other.set('page[size]', String(size));
          const next = page * size < found.length ? `/books?${other.toString()}` : null;
          return [200, { data: found.slice((page - 1) * size, page * size).map(shown), links: { next } }];
        },
      },
    },
    acts: {
      addAuthor: ({ sent: { data }, create }) => create('authors', { attributes: data.attributes }),
      addBook({ sent: { data }, find, create }) {
        const author = data.relationships.author.data?.id;
        if (!ways.hasAuthor(find('authors', author) !== undefined)) return 404;
        return create('books', { attributes: { pages: null, ...data.attributes }, author });
      },
      changeBook({ item, sent: { data } }) {
        if (data.id !== item.id) return 409;
        return Object.assign(item, { attributes: ways.changed(item.attributes, data.attributes) });
      },
    },
  };
}

testFaults(api, right, behaviour, [
  ['forgets what is left out', { changed: (_old, given) => ({ pages: null, ...given }) }, ['changeBook.changed']],
  ['knows any author', { hasAuthor: () => true }, ['addBook.referring']],
  ['finds the books of others', { isOf: () => true }, ['listBooks.filtered.filter[author]']],
  ['leaves filters out of links', { next: () => '' }, ['listBooks.paged']],
  ['counts too many', { count: (books) => 2 * books }, ['getAuthor.aggregated']],
]);
