import { formBodyOf, type FormField, isFile } from '../plan/bodies.ts';
import { jsonBodyOf } from '../plan/bodies.ts';
import { otherBodyOf } from '../plan/bodies.ts';
import { parametersOf, valueOf } from '../plan/parameters.ts';
import { sampleOf } from '../dimensions/samples.ts';
import type { ApiDocument, Operation } from '../document/model.ts';
import { documentedExamples } from './documented-examples.ts';

/** The responses that the mock can send: one row per status, with the names of its examples. */
export function exampleRows(document: ApiDocument): [operationId: string, status: string, examples: string][] {
  return [...documentedExamples(document)].flatMap(([operationId, examples]) => {
    const statuses = [...new Set(examples.map(({ status }) => status))];
    return statuses.map((status): [string, string, string] => {
      const ofStatus = examples.filter((example) => example.status === status);
      // Two media types may have examples of the same name.
      return [operationId, String(status), [...new Set(ofStatus.map(({ name }) => name))].join(', ')];
    });
  });
}

/** A curl command for each operation that asks for an example of an error. */
export function curlLines(baseUrl: string, document: ApiDocument): string[] {
  const examples = documentedExamples(document);
  return document.operations.map((operation) => {
    const { method } = operation;
    const { path, headers } = sentBy(document, operation);
    const error = examples.get(operation.operationId)?.find(({ status }) => status > 401);
    const json = jsonBodyOf(operation, true);
    const form = json ? undefined : formBodyOf(operation);
    const parts = form?.parts ?? [];
    const body = parts.length > 0 ? undefined : (json ?? form ?? otherBodyOf(operation));
    const described = (body?.content ?? []).map(([name, value]) => `${name}: ${value}`);
    return [
      // With --request HEAD, curl would wait for a body.
      `curl${method === 'get' ? '' : method === 'head' ? ' --head' : ` --request ${method.toUpperCase()}`}`,
      quoted(baseUrl + path),
      ...[...headers, ...described].map((header) => `--header ${quoted(header)}`),
      ...parts.map(curlPart),
      ...(body ? [`--data ${quoted(body.text)}`] : []),
      ...(error ? [`--header ${quoted(`Prefer: code=${error.status}, example=${error.name}`)}`] : []),
    ].join(' ');
  });
}

/** With `--form`, curl would read files and options from a text. */
function curlPart(field: FormField): string {
  const { name, text, mediaType } = field;
  if (mediaType === undefined) return `--form-string ${quoted(`${name}=${text}`)}`;
  return `--form ${quoted(`${name}=${text}${isFile(field) ? `;filename=${name}` : ''};type=${mediaType}`)}`;
}

/** The target and the headers of a valid request, without its body. */
function sentBy(document: ApiDocument, operation: Operation) {
  const parameters = operation.parameters.map((parameter) =>
    parameter.required ? { ...parameter, value: valueOf(parameter) ?? sampleOf(parameter.schema) } : parameter,
  );
  const sent = parametersOf({ ...operation, parameters }, document);
  const credential = credentialOf(document, operation);
  const path = sent.path({ credential: () => '' }, {});
  const query = credential.query.map((pair, index) => (index === 0 && !path.includes('?') ? '?' : '&') + pair);
  const headers = sent.headers.map(([name, value]) => `${name}: ${value}`);
  return { path: path + query.join(''), headers: [...credential.headers, ...headers] };
}

function credentialOf({ securitySchemes }: ApiDocument, { security: [names = []] }: Operation) {
  const schemes = names.flatMap((name) => securitySchemes[name] ?? []);
  const query = schemes.flatMap((scheme) =>
    scheme.type === 'apiKey' && scheme.in === 'query' ? [`${encodeURIComponent(scheme.name)}=anything`] : [],
  );
  const headers = schemes.flatMap((scheme) => {
    // The user name and the password are `anything`.
    if (scheme.type === 'http')
      return [`Authorization: ${scheme.scheme === 'basic' ? 'Basic YW55dGhpbmc6YW55dGhpbmc=' : 'Bearer anything'}`];
    if (scheme.in === 'query') return [];
    return [scheme.in === 'cookie' ? `Cookie: ${scheme.name}=anything` : `${scheme.name}: anything`];
  });
  return { query, headers };
}

/** A text, quoted for a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
