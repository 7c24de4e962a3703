/**
 * The log's second line of defence: nothing secret is logged on purpose, and what slips in, as with an error that carries
 * a request, is made unreadable. What is secret is read from the document: the headers of its security schemes, and the
 * fields it marks as `x-sensitive`, which hold the customers' own data. A line is taken apart only if it names one of
 * those; the redaction paths of pino cost each line many times as much, and reach only the depths that are listed.
 */
import { openApiDocument } from '../api/document.ts';
import { hideSecrets } from '../domain/secrets-in-text.ts';

const hidden = '[Redacted]';

/** The names of headers and fields whose values are never logged, in lower case and in order. */
export function secretNames(document: object): string[] {
  const names = new Set<string>();
  visit(document, (name, node) => {
    if (node['x-sensitive'] === true) names.add(name.toLowerCase());
    if (node['type'] === 'apiKey' && typeof node['name'] === 'string') names.add(node['name'].toLowerCase());
    if (node['type'] === 'http' && typeof node['scheme'] === 'string') names.add('authorization');
  });
  return [...names].sort();
}

const names = new Set(secretNames(openApiDocument));
const named = new RegExp(`"(?:${[...names].map((name) => name.replace(/[^\w-]/g, '\\$&')).join('|')})":`, 'i');

/** A log line, which is a JSON object, without what is secret in it, at whatever depth. */
export function redactLine(line: string): string {
  const readable = named.test(line) ? `${JSON.stringify(JSON.parse(line), hideNamed)}\n` : line;
  return hideSecrets(readable, hidden);
}

function hideNamed(name: string, value: unknown): unknown {
  return names.has(name.toLowerCase()) ? hidden : value;
}

function visit(value: unknown, tell: (name: string, node: Record<string, unknown>) => void, name = ''): void {
  if (typeof value !== 'object' || value === null) return;
  tell(name, value as Record<string, unknown>);
  for (const [key, child] of Object.entries(value)) visit(child, tell, key);
}
