import { headerOf } from '../conformance/request.ts';
import type { ApiDocument, Operation } from '../document/model.ts';
import { documentedExamples } from './documented-examples.ts';

/** What the mock can respond with: one row a response, with the names of its examples. */
export function exampleRows(document: ApiDocument): [operationId: string, status: string, examples: string][] {
  return [...documentedExamples(document)].flatMap(([operationId, examples]) => {
    const statuses = [...new Set(examples.map(({ status }) => status))];
    return statuses.map((status): [string, string, string] => [
      operationId,
      String(status),
      examples
        .filter((example) => example.status === status)
        .map(({ name }) => name)
        .join(', '),
    ]);
  });
}

/** A command for each operation that asks for an example of an error, to paste. */
export function curlLines(baseUrl: string, document: ApiDocument): string[] {
  const examples = documentedExamples(document);
  return document.operations.map((operation) => {
    const { method, path, parameters, requestBody } = operation;
    const filled = parameters.reduce((text, { name, example }) => text.replace(`{${name}}`, String(example)), path);
    const error = examples.get(operation.operationId)?.find(({ status }) => status > 401);
    const body = Object.values(requestBody?.content['application/json']?.examples ?? {})[0]?.value;
    return [
      `curl${method === 'get' ? '' : ` --request ${method.toUpperCase()}`} '${baseUrl}${filled}'`,
      ...credentialHeaders(document, operation).map((header) => `--header '${header}'`),
      ...(body === undefined ? [] : [`--header 'Content-Type: application/json' --data '${JSON.stringify(body)}'`]),
      ...(error ? [`--header 'Prefer: code=${error.status}, example=${error.name}'`] : []),
    ].join(' ');
  });
}

function credentialHeaders({ securitySchemes }: ApiDocument, { security: [names = []] }: Operation): string[] {
  return names.flatMap((name) => {
    const scheme = securitySchemes[name];
    if (!scheme) return [];
    return [`${headerOf(scheme)}: ${scheme.type === 'http' ? 'Bearer anything' : 'anything'}`];
  });
}
