/** An API of JSON:API: relations see its attributes and relationships as fields. */
import { test } from '@jest/globals';
import { jsonApi } from '../../contract/relations/json-api.ts';
import { eachRun } from '../support/contract.ts';
import { describedServer, expectFailed, type Reply } from '../support/planted-faults.ts';
import { apiIn } from '../unit/document/fixture.ts';

const run = eachRun();

const resource = (type: string, attributes: string, related = '') => `
      type: object
      required: [type, id, attributes]
      properties:
        type: { type: string, enum: [${type}] }
        id: { type: string }
        attributes: { type: object, properties: ${attributes} }
        relationships: { type: object, properties: { ${related} } }`;
const sent = (type: string, attributes: string, required: string, more = '') =>
  `{ required: true, content: { ${jsonApi}: { schema: { type: object, required: [data], properties: { data: { type: object, required: [${required}], properties: { type: { type: string, enum: [${type}] }, id: { type: string }, attributes: ${attributes} ${more} } } } } } } }`;
const got = (schema: string) =>
  `{ description: It, content: { ${jsonApi}: { schema: { type: object, properties: { data: { $ref: '#/components/schemas/${schema}' } } } } } }`;
const listed = (schema: string) =>
  `{ description: They, content: { ${jsonApi}: { schema: { type: object, properties: { data: { type: array, items: { $ref: '#/components/schemas/${schema}' } }, links: { type: object, properties: { next: { type: string, nullable: true } } } } } } } }`;
const author = '{ type: object, required: [name], properties: { name: { type: string, maxLength: 40 } } }';
const book =
  '{ title: { type: string, maxLength: 40 }, pages: { type: integer, minimum: 1, maximum: 9000, nullable: true } }';
const related =
  'author: { type: object, properties: { data: { type: object, properties: { type: { type: string, enum: [authors] }, id: { type: string } } } } }';
const inPath = 'parameters: [{ name: id, in: path, required: true, schema: { type: string } }]';

const api = apiIn(`
/authors:
  get: { operationId: listAuthors, responses: { 200: ${listed('Author')} } }
  post: { operationId: addAuthor, requestBody: ${sent('authors', author, 'type, attributes')}, responses: { 201: ${got('Author')}, 400: { description: Invalid } } }
/authors/{id}:
  ${inPath}
  get: { operationId: getAuthor, responses: { 200: ${got('Author')}, 404: { description: None } } }
/books:
  get:
    operationId: listBooks
    parameters:
      - { name: 'filter[author]', in: query, schema: { type: string }, description: Only books of the author. }
      - { name: 'page[number]', in: query, schema: { type: integer, minimum: 1, maximum: 1000, default: 1 } }
      - { name: 'page[size]', in: query, schema: { type: integer, minimum: 1, maximum: 100, default: 10 } }
    responses: { 200: ${listed('Book')}, 400: { description: Invalid } }
  post:
    operationId: addBook
    requestBody: ${sent('books', `{ type: object, required: [title], properties: ${book} }`, 'type, attributes, relationships', `, relationships: { type: object, required: [author], properties: { ${related} } }`)}
    responses: { 201: ${got('Book')}, 400: { description: Invalid }, 422: { description: There is no such author } }
/books/{id}:
  ${inPath}
  get: { operationId: getBook, responses: { 200: ${got('Book')}, 404: { description: None } } }
  patch:
    operationId: changeBook
    requestBody: ${sent('books', `{ type: object, properties: ${book} }`, 'type, id, attributes')}
    responses: { 200: ${got('Book')}, 400: { description: Invalid }, 404: { description: None }, 409: { description: Another id } }
components:
  schemas:
    Author:${resource('authors', '{ name: { type: string }, books: { type: integer, description: The number of books. } }')}
    Book:${resource('books', book, related)}
`);

type Attributes = { title?: string; name?: string; pages?: number | null };
type Item = { id: string; attributes: Attributes; author?: string };
type Sent = { data: { id?: string; attributes: Attributes; relationships?: { author: { data: { id: string } } } } };

/** How a server does what the mutants do otherwise. */
const right = {
  changed: (old: Attributes, given: Attributes): Attributes => ({ ...old, ...given }),
  hasAuthor: (isKnown: boolean) => isKnown,
  isOf: (book: Item, asked: string) => book.author === asked,
  next: (query: string) => query,
  count: (books: number) => books,
};

function bookServer(wrong: Partial<typeof right>) {
  const ways = { ...right, ...wrong };
  const [authors, books]: [Item[], Item[]] = [[], []];
  const shownAuthor = ({ id, attributes }: Item) => {
    const count = ways.count(books.filter((each) => each.author === id).length);
    return { type: 'authors', id, attributes: { ...attributes, books: count } };
  };
  const shownBook = ({ id, attributes, author: of }: Item) => {
    return { type: 'books', id, attributes, relationships: { author: { data: { type: 'authors', id: of } } } };
  };
  const reply = (status: number, body: object): Reply => [status, body, { 'Content-Type': jsonApi }];
  return describedServer(api, ({ operationId, id, query, sent: given, faults: [fault] }) => {
    const { data } = given as Sent;
    const known = [...authors, ...books].find((each) => each.id === id);
    if (fault) return [fault.parameter && !query.has(fault.parameter.name) ? 404 : 400];
    switch (operationId) {
      case 'listAuthors':
        return reply(200, { data: authors.map(shownAuthor), links: { next: null } });
      case 'addAuthor':
        authors.push({ id: crypto.randomUUID(), attributes: data.attributes });
        return reply(201, { data: shownAuthor(authors.at(-1) as Item) });
      case 'addBook': {
        const { id: of } = data.relationships?.author.data ?? { id: '' };
        if (!ways.hasAuthor(authors.some((each) => each.id === of))) return [422];
        books.push({ id: crypto.randomUUID(), attributes: { pages: null, ...data.attributes }, author: of });
        return reply(201, { data: shownBook(books.at(-1) as Item) });
      }
      case 'listBooks': {
        const asked = query.get('filter[author]');
        const [page, size] = [Number(query.get('page[number]') ?? 1), Number(query.get('page[size]') ?? 10)];
        const found = books.filter((each) => asked === null || ways.isOf(each, asked));
        const other = new URLSearchParams(ways.next(query.toString()));
        other.set('page[number]', String(page + 1));
        other.set('page[size]', String(size));
        const next = page * size < found.length ? `/books?${other.toString()}` : null;
        return reply(200, { data: found.slice((page - 1) * size, page * size).map(shownBook), links: { next } });
      }
      case 'getAuthor':
        return known ? reply(200, { data: shownAuthor(known) }) : [404];
      case 'getBook':
        return known ? reply(200, { data: shownBook(known) }) : [404];
      default:
        if (!known || data.id !== id) return [known ? 409 : 404];
        known.attributes = ways.changed(known.attributes, data.attributes);
        return reply(200, { data: shownBook(known) });
    }
  });
}

test.each<[title: string, wrong: Partial<typeof right>, failed: string[]]>([
  ['conforms', {}, []],
  ['forgets what is left out', { changed: (_old, given) => ({ pages: null, ...given }) }, ['changeBook.changed']],
  ['knows any author', { hasAuthor: () => true }, ['addBook.referring']],
  ['finds the books of others', { isOf: () => true }, ['listBooks.filtered.filter[author]']],
  ['leaves filters out of links', { next: () => '' }, ['listBooks.paged']],
  ['counts too many', { count: (books) => 2 * books }, ['getAuthor.aggregated']],
])('a server of JSON:API that %s', async (_title, wrong, failed) => {
  await expectFailed(await run.serve(bookServer(wrong)), api, failed);
});
