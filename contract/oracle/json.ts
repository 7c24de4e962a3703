/** JSON as it is read from texts of requests and responses, and shown in reports. */

let last: { readonly text: string; readonly value: unknown } | undefined;

/** The value of a JSON text; undefined if it is no JSON. All that judges a response reads one text, which is parsed once. */
export function parsed(text: string): unknown {
  if (last?.text !== text) last = { text, value: valueOf(text) };
  return last.value;
}

function valueOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A value in the message of a report; a long one is shortened. */
export function told(value: unknown): string {
  const text = value === undefined ? 'absent' : JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 60)}… (${text.length} characters)` : text;
}

const tokens = /("[^"\\]*(?:\\.[^"\\]*)*")\s*(:)?|[{}[\]]/g;

/** The first name that occurs twice in an object of a valid JSON text: parsers differ on which value they use. */
export function repeatedName(json: string): string | undefined {
  const names: Set<string>[] = [];
  for (const [token, text, colon] of json.matchAll(tokens)) {
    if (token === '{' || token === '[') names.push(new Set());
    else if (token === '}' || token === ']') names.pop();
    else if (text !== undefined && colon !== undefined) {
      const name = JSON.parse(text) as string;
      if (names.at(-1)?.has(name) === true) return name;
      names.at(-1)?.add(name);
    }
  }
  return undefined;
}
