import type { Target } from '../../contract/run/model.ts';

/** A tool that tests a server, set up as its authors advise. */
export interface Peer {
  readonly name: string;
  /** Its own name, and how it is run. */
  readonly title: string;
  /** The folders of its packages, from the root of the repository. */
  readonly packages: readonly string[];
  /** What had to be written for this API, from the root of the repository. */
  readonly written: readonly string[];
  /** What it needs that no package brings: a command that must succeed. */
  readonly needs?: readonly string[];
  /**
   * Tests a server in an empty folder of its own, and returns the first complaint; nothing if there is none.
   * @throws {Error} if it has come to no verdict
   */
  judge(target: Target, folder: string): Promise<string | undefined>;
}
