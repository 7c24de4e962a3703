import type { ReadFile } from './validated-file.ts';

/** A credential, or the environment variable that holds it. */
export type GivenCredential = string | { readonly env: string };

/** What a tester gives for an operation: values by the name of the parameter, and a body. */
export interface OperationValues {
  readonly path?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly header?: Readonly<Record<string, unknown>>;
  readonly cookie?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

/** What the file says of the checks beside the options: for the document of another API. */
export interface ConfiguredChecks extends Pick<ReadFile, 'fail'> {
  /** By the name of the security scheme. */
  readonly security: Readonly<Record<string, GivenCredential>>;
  /** By the operation. */
  readonly values: Readonly<Record<string, OperationValues>>;
}
