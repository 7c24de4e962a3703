import { contractDocument, type DocumentedOperation, documentedOperations } from '../document/document.ts';
import { documentedExamples } from './documented-examples.ts';

/** What the mock can answer: one row an answer, with the names of its examples. */
export function exampleRows(): [operationId: string, status: string, examples: string][] {
  return [...documentedExamples].flatMap(([operationId, examples]) => {
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
export function curlLines(baseUrl: string): string[] {
  return documentedOperations.map((operation) => {
    const { method, path, parameters = [], requestBody } = operation;
    const filled = parameters.reduce((text, { name, example }) => text.replace(`{${name}}`, String(example)), path);
    const error = documentedExamples.get(operation.operationId)?.find(({ status }) => status > 401);
    const body = Object.values(requestBody?.content['application/json']?.examples ?? {})[0]?.value;
    return [
      `curl${method === 'get' ? '' : ` --request ${method.toUpperCase()}`} '${baseUrl}${filled}'`,
      `--header '${credentialHeader(operation)}'`,
      ...(body === undefined ? [] : [`--header 'Content-Type: application/json' --data '${JSON.stringify(body)}'`]),
      ...(error ? [`--header 'Prefer: code=${error.status}, example=${error.name}'`] : []),
    ].join(' ');
  });
}

function credentialHeader({ security }: DocumentedOperation): string {
  const schemes = Object.entries(contractDocument.components.securitySchemes);
  const scheme = schemes.find(([name]) => security.some((requirement) => name in requirement))?.[1];
  return scheme?.type === 'apiKey' ? `${scheme.name}: anything` : 'Authorization: Bearer anything';
}
