/** The media type by which the validator knows every body that is not JSON. */
export const bytesMediaType = 'application/octet-stream';

/** Whether a media type is JSON, or a format on top of it (RFC 6839). */
export function isJson(mediaType: string): boolean {
  return /^application\/(?:[^;]+\+)?json(?: *;|$)/i.test(mediaType);
}

/** Whether a media range, as in `image/*`, matches more than one media type. */
export function isRange(mediaType: string): boolean {
  return mediaType.endsWith('/*');
}

/** The first of these media types and ranges that covers a media type, which is in lower case and without parameters. */
export function covering(mediaTypes: readonly string[], mediaType: string): string | undefined {
  const ranges = [mediaType, `${mediaType.split('/', 1)[0]}/*`, '*/*'];
  return mediaTypes.find((each) => ranges.includes(each.toLowerCase()));
}
