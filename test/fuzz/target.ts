import type { Arbitrary } from 'fast-check';

/** A parser that strangers reach, and what must hold for it whatever it is given. */
export interface FuzzTarget {
  /** Inputs that are built like those it expects, with something wrong here and there. */
  readonly inputs: Arbitrary<Uint8Array>;
  /** Of wall time for one input; also what a bounded job may take, its process included. */
  readonly milliseconds: number;
  /** Takes one input. It throws if what must hold does not. The text names what became of it, such as a status. */
  readonly run: (input: Uint8Array) => Promise<string>;
  readonly close: () => Promise<void>;
}

/** Makes a target ready, with a server or a folder if it needs one. */
export type OpenTarget = () => Promise<FuzzTarget>;
