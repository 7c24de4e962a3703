/** What the server reads of an operation in the bundled document, beside its row in the table of operations. */

/** A parameter, its references resolved and its style written out. */
export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header' | 'cookie';
  readonly style: string;
  readonly explode: boolean;
  readonly schema: { readonly type?: string; readonly items?: { readonly type?: string } };
}

/** What the document says of an operation's input and output. */
export interface OperationParts {
  readonly parameters: readonly Parameter[];
  /** The names of the query parameters as documented. */
  readonly queryNames: readonly string[];
  /** The names of the header parameters as documented. */
  readonly headerNames: readonly string[];
  readonly isBodyRequired: boolean;
  /** The schema of each media type that the request body may have. */
  readonly requestContent: Readonly<Record<string, object>>;
  /** The media types of each documented status. */
  readonly responseMediaTypes: ReadonlyMap<number, readonly string[]>;
  /** The names of the headers that its responses may have. */
  readonly responseHeaders: readonly string[];
  /** The error codes that the examples of each status show. */
  readonly errorCodes: ReadonlyMap<number, readonly string[]>;
}

interface Node {
  readonly [name: string]: unknown;
}

/** These are described by other parts of an operation, as OpenAPI says. */
const ignoredHeaders: readonly string[] = ['accept', 'content-type', 'authorization'];

/** @throws {Error} if the document has no such operation */
export function operationParts(document: object, { path, method }: { path: string; method: string }): OperationParts {
  const read = (value: unknown): Node => resolve(document as Node, value);
  const item = read(read((document as Node)['paths'])[path]);
  if (!Object.hasOwn(item, method)) throw new Error(`The document has no operation ${method} ${path}.`);
  const operation = read(item[method]);
  const parameters = parametersOf(read, item, operation);
  const namesIn = (place: Parameter['in']) => parameters.filter((each) => each.in === place).map(({ name }) => name);
  const body = read(operation['requestBody']);
  const responses = mapValues(read(operation['responses']), read);
  const byStatus = Object.entries(responses).filter(([status]) => /^\d{3}$/.test(status));
  return {
    parameters,
    queryNames: namesIn('query'),
    headerNames: namesIn('header'),
    isBodyRequired: body['required'] === true,
    requestContent: mapValues(read(body['content']), (media) => read(read(media)['schema'])),
    responseMediaTypes: new Map(
      byStatus.map(([status, response]) => [Number(status), Object.keys(read(response['content']))]),
    ),
    responseHeaders: Object.values(responses).flatMap((response) => Object.keys(read(response['headers']))),
    errorCodes: new Map(byStatus.map(([status, response]) => [Number(status), codesOf(read, response)])),
  };
}

function codesOf(read: (value: unknown) => Node, response: Node): string[] {
  const media = Object.values(read(response['content'])).map(read);
  const examples = media.flatMap((each) => [{ value: each['example'] }, ...Object.values(read(each['examples']))]);
  const codes = examples.map((example) => read(read(example)['value'])['error_code']);
  return codes.filter((code) => typeof code === 'string');
}

function parametersOf(read: (value: unknown) => Node, item: Node, operation: Node): Parameter[] {
  const byPlaceAndName = new Map<string, Parameter>();
  for (const owner of [item, operation])
    for (const value of Object.values(read(owner['parameters']))) {
      const parameter = explicit(read(value), read);
      byPlaceAndName.set(`${parameter.in} ${parameter.name}`, parameter);
    }
  return [...byPlaceAndName.values()].filter(
    (each) => each.in !== 'header' || !ignoredHeaders.includes(each.name.toLowerCase()),
  );
}

function explicit(parameter: Node, read: (value: unknown) => Node): Parameter {
  const isForm = parameter['in'] === 'query' || parameter['in'] === 'cookie';
  const style = (parameter['style'] as string | undefined) ?? (isForm ? 'form' : 'simple');
  // For an array of the style `simple`, both mean the same: its items with commas between them.
  const explode = style === 'form' && (parameter['explode'] as boolean | undefined) !== false;
  const schema = read(parameter['schema']);
  const items = schema['items'] === undefined ? {} : { items: read(schema['items']) };
  return { ...(parameter as unknown as Parameter), style, explode, schema: { ...schema, ...items } };
}

/** What a value refers to, if it is a reference within the document; nothing at all is an empty object. */
function resolve(document: Node, value: unknown): Node {
  const { $ref: reference } = (value ?? {}) as { $ref?: unknown };
  if (typeof reference !== 'string') return (value ?? {}) as Node;
  const names = reference.replace(/^#\//, '').split('/');
  const found = names.reduce<unknown>(
    (of, name) => (of as Node | undefined)?.[name.replaceAll('~1', '/').replaceAll('~0', '~')],
    document,
  );
  if (found === undefined) throw new Error(`The document has nothing at ${reference}.`);
  return resolve(document, found);
}

function mapValues<T>(values: Node, map: (value: unknown) => T): Record<string, T> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value)]));
}
