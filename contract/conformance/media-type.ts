/** What a document says of a media type: under its own name, or else under a range such as `image/*`. */
export function contentOfType<Content>(
  content: Readonly<Record<string, Content>>,
  mediaType: string,
): Content | undefined {
  const type = mediaType.toLowerCase();
  return content[type] ?? content[type.replace(/\/.*/, '/*')] ?? content['*/*'];
}

/** Whether a body of the media type is JSON. */
export function isJson(mediaType: string): boolean {
  return /^application\/(json|[\w.+-]+\+json)$/i.test(mediaType);
}
