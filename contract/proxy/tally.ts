import type { ProxyRecord, ProxyRule } from './proxy-record.ts';

/** How many requests or responses of an operation violated a rule. */
export interface TallyRow {
  readonly type: ProxyRecord['type'];
  readonly operation_id: string | null;
  readonly rule: ProxyRule;
  count: number;
}

/** Counts the traffic of the proxy. */
export class Tally {
  readonly passed = { request: 0, response: 0 };
  readonly broken = { request: 0, response: 0 };
  readonly rows: TallyRow[] = [];

  add({ type, operation_id, violations }: ProxyRecord): void {
    this.passed[type] += 1;
    if (violations.length > 0) this.broken[type] += 1;
    for (const rule of new Set(violations.map((violation) => violation.rule)))
      this.#rowOf({ type, operation_id, rule }).count += 1;
  }

  #rowOf(key: Pick<TallyRow, 'type' | 'operation_id' | 'rule'>): TallyRow {
    const found = this.rows.find(
      (row) => row.type === key.type && row.operation_id === key.operation_id && row.rule === key.rule,
    );
    if (found) return found;
    const row = { ...key, count: 0 };
    this.rows.push(row);
    return row;
  }
}
