import type { ApiDocument } from '../../contract/document/index.ts';
import { fileNameOf } from './file-name-of.ts';

/** The text of src/api/operations/index.ts: the handler of each operation, registered. */
export function handlersSource({ operations }: ApiDocument): string {
  const ids = operations.map(({ operationId }) => operationId);
  const imports = ids.map((id) => `import { ${id} } from './${fileNameOf(id)}.ts';`);
  return `${["import type { OperationHandlers } from '../operation.ts';", ...imports].join('\n')}

/** The handler of every operation, by its operationId. */
export const handlers: OperationHandlers = {
${ids.map((id) => `  ${id},`).join('\n')}
};
`;
}
