import type { BenchData } from '../dataset/make-data.ts';

/** An order to the load generator. */
export interface LoadOrder {
  readonly origin: string;
  readonly workload: string;
  readonly data: BenchData;
  /** Statuses that a server returns instead of the expected ones, by expected status. */
  readonly statuses: Readonly<Record<number, number>>;
  readonly warmupSeconds: number;
  /** The duration of the measurement, which ends with the first response after it. */
  readonly seconds: number;
}

/** The measurement of a server under one load. Latencies are in milliseconds. */
export interface LoadFigures {
  readonly requests: number;
  readonly seconds: number;
  readonly p50: number;
  readonly p99: number;
  /** The share of its core that the load generator used: near 1, it limits the server. */
  readonly loadBusy: number;
}

/** A report of the load generator: the measurement has begun, its result, or a fault. */
export type LoadMessage = { readonly begun: true } | { readonly figures: LoadFigures } | { readonly fault: string };
