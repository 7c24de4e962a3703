/** Faults of a JSON text that a parser does not report. */

const tokens = /("[^"\\]*(?:\\.[^"\\]*)*")\s*(:)?|[{}[\]]/g;

/** Why a body is not valid text (RFC 8259, section 8.1); undefined if it is. */
export function encodingFault(bytes: Buffer): string | undefined {
  try {
    new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return undefined;
  } catch {
    return 'the body is not valid UTF-8';
  }
}

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
