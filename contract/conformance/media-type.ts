/** What a document says of a media type: under its own name, or else under a range such as `image/*`. */
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

/** Documents may name a media type with its parameters, as in `application/json; charset=utf-8`. */
function withoutParameters(mediaType: string): string {
  return mediaType.replace(/ *;.*/s, '').toLowerCase();
}
