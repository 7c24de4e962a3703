/** Links of responses (OpenAPI, Link Object): the operation that follows, and the runtime expressions of its values. */
import type { ApiDocument, Link, Operation } from './model.ts';
import { keysOfPointer } from './references.ts';

/** A request and its response, as runtime expressions see them. */
export interface LinkedExchange {
  readonly url: string;
  readonly method: string;
  readonly statusCode: number;
  readonly request: Message;
  readonly response: Message;
}

interface Message {
  readonly header: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly path?: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

type Value = (exchange: LinkedExchange, side: 'request' | 'response', rest: string) => unknown;

/** Each runtime expression (OpenAPI 3.0.3, section 4.7.20.4), with what it means. */
const expressions: readonly (readonly [RegExp, Value])[] = [
  [/^\$url$/, ({ url }) => url],
  [/^\$method$/, ({ method }) => method],
  [/^\$statusCode$/, ({ statusCode }) => statusCode],
  [/^\$(request|response)\.header\.(.+)$/, (exchange, side, name) => exchange[side].header[name.toLowerCase()]],
  [/^\$(request)\.query\.(.+)$/, ({ request }, _side, name) => request.query?.[name]],
  [/^\$(request)\.path\.(.+)$/, ({ request }, _side, name) => request.path?.[name]],
  [/^\$(request|response)\.body(#.*)?$/, (exchange, side, pointer) => valueAt(exchange[side].body, pointer)],
];

function valueAt(body: unknown, pointer: string): unknown {
  const inner = (value: unknown, key: string) =>
    typeof value === 'object' && value !== null && Object.hasOwn(value, key)
      ? (value as Record<string, unknown>)[key]
      : undefined;
  return keysOfPointer(pointer).reduce(inner, body);
}

/** The value of an expression in an exchange; undefined if there is none. Any other value stands for itself. */
export function valueOfLink(value: unknown, exchange: LinkedExchange): unknown {
  if (typeof value !== 'string') return value;
  for (const [pattern, meaning] of expressions) {
    const [found, side, rest = ''] = pattern.exec(value) ?? [];
    if (found !== undefined) return meaning(exchange, side as 'request' | 'response', rest);
  }
  return value.replaceAll(/\{(\$[^}]+)\}/g, (_all, each: string) => String(valueOfLink(each, exchange)));
}

/** The operation that a link leads to; undefined if the document has none such. */
export function linkedOperation(
  { operations }: ApiDocument,
  { operationId, operationRef }: Link,
): Operation | undefined {
  if (operationId !== undefined) return operations.find((each) => each.operationId === operationId);
  const [, path, method] = keysOfPointer((operationRef ?? '').replace(/^[^#]*/, ''));
  return operations.find((each) => each.path === path && each.method === method);
}

/** The links of a document that lead to no operation, each in a sentence. */
export function linkFaults(document: ApiDocument): string[] {
  return document.operations.flatMap(({ operationId, responses }) =>
    Object.entries(responses).flatMap(([status, { links = {} }]) =>
      Object.entries(links)
        .filter(([, link]) => !linkedOperation(document, link))
        .map(([name, link]) => {
          const named = link.operationId ?? link.operationRef ?? 'none is named';
          return `the link ${name} of ${operationId} ${status} leads to no operation (${named})`;
        }),
    ),
  );
}

/** The parameter that a link names, as in `id` or `path.id`. */
export function parameterOf({ parameters }: Operation, name: string): Operation['parameters'][number] | undefined {
  return parameters.find((each) => name === each.name || name === `${each.in}.${each.name}`);
}
