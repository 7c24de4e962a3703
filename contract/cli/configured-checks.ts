import type { ReadFile } from './validated-file.ts';

/** A credential, or the environment variable that contains it. */
export type GivenCredential = string | { readonly env: string };

/** The tester's values for an operation: parameters by name, and a body. */
export interface OperationValues {
  readonly path?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly header?: Readonly<Record<string, unknown>>;
  readonly cookie?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

/** The parts of the configuration file that are not options: for the document of another API. */
export interface ConfiguredChecks extends Pick<ReadFile, 'fail'> {
  /** By security scheme. */
  readonly security: Readonly<Record<string, GivenCredential>>;
  /** By operation. */
  readonly values: Readonly<Record<string, OperationValues>>;
}
