/** The documented content for a media type: under its own name, or else under a range such as `image/*`. */
export function contentOfType<Content>(
  content: Readonly<Record<string, Content>>,
  mediaType: string,
): Content | undefined {
  const type = mediaType.toLowerCase();
  for (const wanted of [type, type.replace(/\/.*/, '/*'), '*/*']) {
    const found = Object.entries(content).find(([documented]) => withoutParameters(documented) === wanted);
    if (found) return found[1];
  }
  return undefined;
}

/** Whether a body of the media type is JSON. */
export function isJson(mediaType: string): boolean {
  return /^application\/(json|[\w.+-]+\+json)$/i.test(withoutParameters(mediaType));
}

/** Removes the parameters that documents may include, as in `application/json; charset=utf-8`. */
function withoutParameters(mediaType: string): string {
  return mediaType.replace(/ *;.*/s, '').toLowerCase();
}

/**
 * The media type of a JSON response without a charset of UTF-8, in any spelling (RFC 9110, section 8.3.1); of any other
 * response, without its parameters.
 */
export function mediaTypeOf(contentType: string): string {
  const [type = '', ...parameters] = contentType.split(/[ \t]*;[ \t]*/);
  if (!isJson(type)) return type;
  const others = parameters.filter((parameter) => !/^(charset=("utf-8"|utf-8))?$/i.test(parameter));
  return [type, ...others].join('; ');
}

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
