import { errorOf } from '../../contract/document/document-of.ts';
import type { ApiDocument, DocumentedResponse, Operation } from '../../contract/document/model.ts';

interface ErrorStatus {
  readonly status: string;
  readonly codes: readonly string[];
}

/** The errors of an operation, and those of the service, which any request can get. */
export function errorsOf(document: ApiDocument, { responses }: Operation): ErrorStatus[] {
  return codesByStatus(responses, document.serviceResponses);
}

/** The codes in the examples, by status. */
export function codesByStatus(...responses: Operation['responses'][]): ErrorStatus[] {
  const statuses = [...new Set(responses.flatMap((byStatus) => Object.keys(byStatus)))].sort();
  return statuses
    .filter((status) => !/^[123]/.test(status))
    .map((status) => ({
      status,
      codes: [...new Set(responses.flatMap((byStatus) => codesOf(status, byStatus[status])))],
    }));
}

/** The property of an operation in `ErrorCodes`. */
export function errorCodesOf(document: ApiDocument, operation: Operation): string {
  const statuses = errorsOf(document, operation).map(
    ({ status, codes }) => `    ${status}: ${codes.map((code) => `'${code}'`).join(' | ') || 'never'};\n`,
  );
  return `  ${operation.operationId}: {\n${statuses.join('')}  };`;
}

function codesOf(status: string, response: DocumentedResponse | undefined): string[] {
  const examples = Object.values(response?.content ?? {}).flatMap((mediaType) => Object.values(mediaType.examples));
  return examples.flatMap((example) => errorOf(status, example)?.[0] ?? []);
}
