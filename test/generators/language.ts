import type { CallTarget, Observed } from './observed.ts';

/** How a client in a language is compiled and called; `name` is that of its generator. */
export interface Language {
  /** What this machine lacks for it; undefined if nothing. */
  lacks(): Promise<string | undefined>;
  /**
   * Compiles the client and what calls it, which fails if the types are not those of the document.
   * @throws {Error} with the complaints of the compiler
   */
  compile(name: string): Promise<void>;
  /** Calls the server with the client. */
  call(name: string, target: CallTarget): Promise<Observed>;
}
