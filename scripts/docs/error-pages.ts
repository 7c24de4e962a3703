import { STATUS_CODES } from 'node:http';
import { errorOf } from '../../contract/document/document-of.ts';
import type { ApiDocument, Operation } from '../../contract/document/model.ts';
import { fence, list, type SitePage, table } from './markdown.ts';
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

/** The help on an error code, in addition to the document. */
interface ErrorHelp {
  readonly why: readonly string[];
  readonly todo: readonly string[];
  /** Whether the same request may be sent again. */
  readonly retry: string;
}

export const errorHelp = parse(readFileSync(new URL('error-help.yaml', import.meta.url), 'utf8')) as Readonly<
  Record<string, ErrorHelp | undefined>
>;

/** The pages of the error codes of a document: a list, and for each code a page with causes and remedies. */
export function errorPages(document: ApiDocument): SitePage[] {
  const codes = Object.entries(document.errors).sort(([, one], [, other]) => one.status - other.status);
  if (codes.length === 0) return [];
  const meanings = meaningsOf(document);
  const rows = codes.map(([code, { status, message }]) => [
    String(status),
    `[\`${code}\`](/errors/${code}.html)`,
    meanings[code] ?? message,
  ]);
  return [
    {
      path: 'errors',
      title: 'Error codes',
      label: 'All error codes',
      description: 'Every error code with its status and its meaning.',
      markdown:
        'Every error is one JSON object with a stable `error_code` for programs and an `error_message` for people. Each code ' +
        `has a page with its causes and remedies.\n\n${table(['Status', 'Code', 'Meaning'], rows)}`,
    },
    ...codes.map(([code]) => errorPage(document, code, meanings[code])),
  ];
}

function errorPage(document: ApiDocument, code: string, meaning: string | undefined): SitePage {
  const help = errorHelp[code];
  const { status, message } = document.errors[code] ?? { status: 0, message: '' };
  const found = occurrencesOf(document, code);
  const sections: [title: string, text: string | undefined][] = [
    ['When', `${meaning ?? message}\n\n${placesOf(found)}`],
    ['Why', help && list(help.why)],
    ['What to do', help && list(help.todo)],
    ['May the request be sent again?', help?.retry],
    ['The response', found[0] && fence('http', exampleOf(found[0]))],
  ];
  const shown = sections.flatMap(([title, text]) => (text === undefined ? [] : [`## ${title}\n\n${text}`]));
  return {
    path: `errors/${code}`,
    title: code,
    description: `${status} ${STATUS_CODES[status] ?? ''}: ${message}`,
    markdown: [`**${status} ${STATUS_CODES[status] ?? ''}** · ${message}`, ...shown].join('\n\n'),
  };
}

/** The responses with a code. Those that belong to no operation have none. */
function occurrencesOf(document: ApiDocument, code: string) {
  const within = (responses: Operation['responses'], operation?: Operation) =>
    Object.entries(responses).flatMap(([status, response]) => {
      const examples = Object.values(response.content).flatMap((content) => Object.values(content.examples));
      const example = examples.find((one) => errorOf(status, one)?.[0] === code);
      return example ? [{ operation, status, response, body: example.value }] : [];
    });
  return [
    ...document.operations.flatMap((operation) => within(operation.responses, operation)),
    ...within(document.serviceResponses),
  ];
}

function placesOf(found: ReturnType<typeof occurrencesOf>): string {
  const operations = found.flatMap(({ operation }) => operation ?? []);
  if (operations.length > 0)
    return `These operations respond with it:\n\n${list(
      operations.map((one) => `[${one.method.toUpperCase()} ${one.path}](${operationAddress(one)}): ${one.summary}`),
    )}`;
  return found.length > 0
    ? 'It belongs to no operation: the request does not get that far.'
    : 'No operation that is described in this version responds with it.';
}

function exampleOf({ status, response, body }: ReturnType<typeof occurrencesOf>[number]): string {
  const headers = Object.entries(response.headers).flatMap(([name, { example, schema }]) => {
    const value = example ?? schema.example;
    return value === undefined ? [] : [`${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`];
  });
  const first = `HTTP/1.1 ${status} ${STATUS_CODES[Number(status)] ?? ''}`;
  return [first, 'Content-Type: application/json', ...headers, '', JSON.stringify(body, null, 2)].join('\n');
}

/** The meanings in the table of the introduction, whose rows have a status, a code and a text. */
function meaningsOf({ description }: ApiDocument): Record<string, string> {
  const rows = description.matchAll(/^\| *\d{3} *\| *`([^`]+)` *\| *(.*?) *\|$/gm);
  return Object.fromEntries([...rows].map(([, code = '', meaning = '']) => [code, meaning]));
}

function operationAddress({ tags, operationId }: Operation): string {
  const [tag] = tags;
  return `/reference.html#${tag === undefined ? '' : `tag/${tag.replaceAll(' ', '-')}/`}operation/${operationId}`;
}
