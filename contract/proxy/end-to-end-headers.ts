/** Fields that concern one connection and not the message (RFC 9110, section 7.6.1). */
const hopByHop = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

/** A `Connection` field that names one of these would change what the message is. */
const needed = ['content-length', 'host'];

/**
 * The fields of a header section that an intermediary passes on, in their order and spelling.
 * @param rawHeaders names and values in turn, as Node.js gives them
 */
export function endToEndHeaders(rawHeaders: readonly string[]): [name: string, value: string][] {
  const fields = rawHeaders.flatMap((name, index): [string, string][] =>
    index % 2 === 0 ? [[name, String(rawHeaders[index + 1])]] : [],
  );
  const named = fields
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) => value.toLowerCase().split(/ *, */))
    .filter((name) => !needed.includes(name));
  const left = new Set([...hopByHop, ...named]);
  return fields.filter(([name]) => !left.has(name.toLowerCase()));
}
