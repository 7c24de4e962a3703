import { operations, securitySchemes } from '../../generated/operations.ts';
import { openApiDocument } from './document.ts';
import { operationParts, type OperationParts } from './document-parts.ts';

/** An operation as generated/operations.ts lists it. */
export interface TableRow {
  readonly method: string;
  readonly path: string;
  /** The alternatives, each the names of the schemes that are needed together. None: the operation is public. */
  readonly security: readonly (readonly string[])[];
  readonly requiredPermission: string | null;
  readonly requiredFeature: string | null;
  /** The largest request body; null if the operation has none. */
  readonly maxBodyBytes: number | null;
  readonly requestMediaTypes: readonly string[];
  readonly hasRequestRules: boolean;
  readonly statuses: readonly string[];
}

/** How a credential is presented. */
export type SecurityScheme =
  | { readonly type: 'apiKey'; readonly in: 'header'; readonly name: string }
  | { readonly type: 'http'; readonly scheme: 'bearer' };

/** What drives the server: all that `npm run generate` wrote from the document. */
export interface ApiDescription {
  readonly document: object;
  readonly operations: Readonly<Record<string, TableRow>>;
  readonly securitySchemes: Readonly<Record<string, SecurityScheme>>;
}

/** The description of this API. */
export const ownApi: ApiDescription = { document: openApiDocument, operations, securitySchemes };

/** All that the steps of a request read of its operation. */
export interface MatchedOperation extends TableRow, OperationParts {
  readonly operationId: string;
  /** The names of all schemes in `security`. */
  readonly schemes: readonly string[];
}

/**
 * The operations of a description, by their operationId.
 * @throws {Error} if it leaves open who may call one of them, or what the server cannot enforce
 */
export function operationsOf({ document, operations, securitySchemes }: ApiDescription): Map<string, MatchedOperation> {
  return new Map(
    Object.entries(operations).map(([operationId, row]) => {
      const schemes = [...new Set(row.security.flat())];
      const described = { operationId, schemes, ...row, ...operationParts(document, row) };
      const fault = faultOf(described, securitySchemes);
      if (fault !== undefined) throw new Error(`The operation ${operationId} cannot be served: ${fault}.`);
      // Any segment of a path may be a string; of queries and headers, the validator checks how often they are sent, too.
      const hasRequestRules = row.hasRequestRules || described.parameters.some((parameter) => parameter.in !== 'path');
      return [operationId, { ...described, hasRequestRules }];
    }),
  );
}

function faultOf(operation: MatchedOperation, schemes: ApiDescription['securitySchemes']): string | undefined {
  const { security, requiredPermission, requiredFeature, maxBodyBytes, requestMediaTypes, parameters } = operation;
  if (security.some((alternative) => alternative.length === 0))
    return 'one of its security requirements is empty; only `security: []` makes it public';
  const unknown = operation.schemes.find((name) => !Object.hasOwn(schemes, name));
  if (unknown !== undefined) return `its security scheme ${unknown} is not declared`;
  if (security.length === 0 && (requiredPermission !== null || requiredFeature !== null))
    return 'it is public and requires a permission or a feature';
  if ((maxBodyBytes === null) !== (requestMediaTypes.length === 0))
    return 'it has a request body without a limit, or a limit without a request body';
  const cookie = parameters.find((parameter) => parameter.in === 'cookie');
  return cookie && `its parameter ${cookie.name} is a cookie`;
}
