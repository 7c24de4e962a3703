import type { Operation } from '../../../contract/document/index.ts';

/** The source of a handler stub. */
export function handlerStub({ operationId, summary }: Operation): string {
  return `import { NotImplementedError, type OperationHandler } from '../operation.ts';

/** ${summary.replaceAll('*/', '* /').replace(/\.?$/, '.')} */
export const ${operationId}: OperationHandler<'${operationId}'> = () => {
  throw new NotImplementedError('${operationId}');
};
`;
}
