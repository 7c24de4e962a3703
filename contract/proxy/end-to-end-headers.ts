/** Fields of a connection, not of the message (RFC 9110, section 7.6.1). */
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

/** If `Connection` named one of these, removing it would change the meaning of the message. */
const needed = ['content-length', 'host'];

/**
 * The fields of a header section that an intermediary forwards, in their order and spelling.
 * @param rawHeaders alternating names and values, as Node.js provides them
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
