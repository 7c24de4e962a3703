export type Output = NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };

/** The environment of the program, passed in so that a test can run the command line in its own process. */
export interface CliContext {
  readonly environment: NodeJS.ProcessEnv;
  readonly stdin: NodeJS.ReadableStream;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly now: () => Date;
  /** Ends the process at once, even if it is waiting for something. */
  readonly kill: () => void;
}
