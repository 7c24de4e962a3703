import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import type { RawDocument } from '../../../contract/document/raw.ts';

/** The parts of Postman's collection format 2.1 that are used here. */
export interface PostmanCollection {
  readonly info: { readonly name: string; readonly description?: Description };
  readonly item: readonly PostmanFolder[];
  readonly variable: readonly { readonly key: string; readonly value: string }[];
}
export interface PostmanFolder {
  readonly name: string;
  readonly item: readonly { readonly name: string; readonly request: PostmanRequest }[];
}
export interface PostmanRequest {
  readonly method: string;
  readonly description?: Description;
  readonly url: {
    raw?: string;
    readonly host: readonly string[];
    readonly path: readonly string[];
    readonly query: readonly Parameter[];
    readonly variable: readonly Parameter[];
  };
  readonly header: readonly Parameter[];
  readonly auth?: Record<string, unknown> & { readonly type: string };
  readonly body?: { readonly mode?: string; readonly raw?: string };
}
type Description = string | { readonly content: string };
interface Parameter {
  readonly key: string;
  value: string;
}

type Convert = (
  input: { type: 'json'; data: object },
  options: object,
  done: (
    error: Error | null,
    outcome: { result: boolean; reason?: string; output?: { data: PostmanCollection }[] },
  ) => void,
) => void;

const { convertV2 } = createRequire(import.meta.url)('openapi-to-postmanv2') as { convertV2: Convert };

const options = {
  folderStrategy: 'Tags',
  requestParametersResolution: 'Example',
  parametersResolution: 'Example',
};

/**
 * A collection for Postman. Its variables have the names of the client's options; those of the credentials are empty.
 * @throws {Error} if the document cannot be converted
 */
export async function postmanCollection(document: RawDocument): Promise<PostmanCollection> {
  const { result, reason, output } = await promisify(convertV2)(
    { type: 'json', data: atOneAddress(document) },
    options,
  );
  const [converted] = output ?? [];
  if (!result || !converted) throw new Error(`No Postman collection can be made of the document: ${reason ?? ''}`);
  const { variable, ...collection } = withoutIds(converted.data);
  const item = collection.item.filter((folder) => folder.item.length > 0);
  const requests = item.flatMap((folder) => folder.item.map(({ request }) => request));
  const identifiers = requests.flatMap(withVariables);
  return {
    ...collection,
    item,
    variable: [
      ...variable,
      { key: 'apiKey', value: '' },
      { key: 'accessToken', value: '' },
      ...new Map(identifiers.map((one) => [one.key, one])).values(),
    ],
  };
}

/** Removes servers at paths: such tools use one address, and the first server has every operation. */
function atOneAddress(document: RawDocument): RawDocument {
  const copy = structuredClone(document);
  for (const item of Object.values(copy.paths ?? {})) delete item.servers;
  return copy;
}

/** Removes the ids, which the converter generates anew each time and nothing refers to. */
function withoutIds<T>(collection: T): T {
  const text = JSON.stringify(collection, (key, value: unknown) =>
    key === 'id' || key === '_postman_id' ? undefined : value,
  );
  return JSON.parse(text.replaceAll('{{bearerToken}}', '{{accessToken}}')) as T;
}

/** Adds a variable for each path parameter, such as `caseId` for `/cases/{id}`, and returns them with the examples. */
function withVariables({ url }: PostmanRequest): Parameter[] {
  url.raw = [...url.host, ...url.path].join('/');
  return url.variable.map((parameter) => {
    const of = url.path[url.path.indexOf(`:${parameter.key}`) - 1]?.replace(/s$/, '') ?? '';
    const key = of + parameter.key.charAt(0).toUpperCase() + parameter.key.slice(1);
    const variable = { key, value: parameter.value };
    parameter.value = `{{${key}}}`;
    return variable;
  });
}
