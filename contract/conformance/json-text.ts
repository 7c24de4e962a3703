/** What is wrong with a JSON text beside what a parser refuses. */

const tokens = /("[^"\\]*(?:\\.[^"\\]*)*")\s*(:)?|[{}[\]]/g;

/** Why a body is not text (RFC 8259, section 8.1); undefined if it is one. */
export function encodingFault(bytes: Buffer): string | undefined {
  try {
    new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return undefined;
  } catch {
    return 'the body is not valid UTF-8';
  }
}

/** The first name that an object of a valid JSON text has twice: readers differ on which of its values counts. */
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
