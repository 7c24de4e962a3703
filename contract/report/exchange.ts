/** The representation of requests and responses in reports. */
const longestLine = 500;

/** The parts of a request or response in a `Failure`. */
export interface MessageParts {
  readonly first: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

/** The first line, the headers and the body of a request or response. */
export function partsOf(message: string): MessageParts {
  const end = message.indexOf('\n\n');
  const [first = '', ...lines] = (end < 0 ? message : message.slice(0, end)).split('\n');
  const headers = lines.map((line) => {
    const colon = line.indexOf(': ');
    return [line.slice(0, colon), line.slice(colon + 2)] as const;
  });
  return { first, headers, body: end < 0 ? '' : message.slice(end + 2) };
}

/** A response in one line: status and body. */
export function inOneLine(message: string): string {
  const { first, body } = partsOf(message);
  const line = `${first} ${body}`.trim();
  return line.length <= longestLine ? line : `${line.slice(0, longestLine)}… (${body.length} characters)`;
}

/** The curl command with the path of the files that it names. @param folder the folder of the reports */
export function curlIn(curl: string, folder: string): string {
  return folder === '.' || folder === ''
    ? curl
    : curl.replaceAll(/@(?=contract-(?:body|header)-[0-9a-f]{12})/g, `@${folder}/`);
}
