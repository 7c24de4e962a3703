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
  return mediaType.replace(/[ \t]*;.*/s, '').toLowerCase();
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

/** Why a body is not valid text (RFC 8259, section 8.1); undefined if it is. */
export function encodingFault(bytes: Buffer): string | undefined {
  try {
    new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return undefined;
  } catch {
    return 'the body is not valid UTF-8';
  }
}
