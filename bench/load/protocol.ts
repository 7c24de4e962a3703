import type { BenchData } from '../dataset/make-data.ts';

/** What the load generator is to do. */
export interface LoadOrder {
  readonly origin: string;
  readonly workload: string;
  readonly data: BenchData;
  /** Statuses that a server gives in place of the right ones, by the right one. */
  readonly statuses: Readonly<Record<number, number>>;
  readonly warmupSeconds: number;
  /** Of measuring; it ends with the first response after that. */
  readonly seconds: number;
}

/** What one load has seen of a server. Latencies are in milliseconds. */
export interface LoadFigures {
  readonly requests: number;
  readonly seconds: number;
  readonly p50: number;
  readonly p99: number;
  /** The share of its core that the load generator itself was busy: near 1, it is what limits the server. */
  readonly loadBusy: number;
}

/** What the load generator reports: that the measuring has begun, how it went, or what went wrong. */
export type LoadMessage = { readonly begun: true } | { readonly figures: LoadFigures } | { readonly fault: string };
