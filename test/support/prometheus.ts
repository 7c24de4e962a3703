export interface Series {
  readonly name: string;
  readonly labels: Record<string, string>;
  readonly value: number;
}

/** Reads Prometheus' text format, and fails on a line that does not belong to it. */
export function parseMetrics(text: string): Series[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name, labels = '', value] = /^([a-z_:][\w:]*)(?:\{(.*)\})? (\S+)$/i.exec(line) ?? [];
      if (name === undefined) throw new Error(`no line of a metric: ${line}`);
      const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key, held]) => [key, held] as const);
      return { name, labels: Object.fromEntries(pairs) as Record<string, string>, value: Number(value) };
    });
}

/** The names of the metrics and labels in a query of this project's dashboard: functions, matchers, groupings, ranges. */
export function parsePromQl(query: string): { metrics: string[]; labels: string[] } {
  const matchers = [...query.matchAll(/\{([^}]*)\}/g)].flatMap(([, inner = '']) =>
    [...inner.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label = '']) => label),
  );
  const groupings = [...query.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, inner = '']) => inner.split(/,\s*/));
  const rest = query.replace(/\{[^}]*\}|\[[^\]]*\]|\bby \([^)]*\)/g, ' ');
  const metrics = [...rest.matchAll(/[a-z_]\w*(?!\w*\s*\()/g)].map(([name]) => name);
  return { metrics, labels: [...new Set([...matchers, ...groupings])] };
}
