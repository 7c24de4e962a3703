import type { Operation, Parameter, SecurityScheme } from '../../../contract/document/index.ts';
import { sampleOf } from '../../../contract/dimensions/samples.ts';
import { isJson } from '../../../contract/oracle/body.ts';
import { pairsOfParameter, pathTextOf } from '../../../contract/oracle/parameters.ts';

/** The tests of one response, and the options of their server. */
export interface Stub {
  readonly tests: string;
  readonly options?: string;
}

/** Changes to the valid request. */
export interface Changes {
  /** The code of an object of headers. */
  readonly headers?: string;
  /** The code of a body. */
  readonly body?: string;
  readonly path?: string;
}

/** A test of one request: what differs from the valid one, and what is expected of the response beside its status. */
export interface RequestTest {
  /** The expected error code. */
  readonly code?: string;
  /** The expected body or text, as code. */
  readonly equals?: readonly [received: 'body' | 'text', value: string];
  /** Whether somebody must write the data that causes the response. */
  readonly needsData?: boolean;
  /** Whether no credential is sent. */
  readonly anonymous?: boolean;
  /** The missing rights of the caller, as code. */
  readonly caller?: string;
  readonly body?: string;
  readonly query?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const addData = `// Write here the data that gives this response, such as: await addCase(api.store, organisation);
      // addCaller returns the organisation too.`;

/** What the tests use, by module. */
const modules = {
  '@jest/globals': ['expect', 'test'],
  '../../../src/domain/secret.ts': ['generateSecret'],
  '../../support/callers.ts': ['addCaller'],
  '../../support/describe-response.ts': [
    ...['describeResponse', 'failingService', 'smallLimits', 'testExhaustedLimit', 'testRefusedCredentials'],
    ...['testUnavailable', 'testUnexpectedError'],
  ],
};

/** Writes the file with the tests of one response of an operation. */
export class StubWriter {
  readonly operation: Operation;
  readonly status: string;
  readonly request: ValidRequest;
  /** The first scheme of the presented credentials; undefined if the operation is public. */
  readonly scheme: SecurityScheme | undefined;
  private readonly presentedTogether: readonly string[];

  constructor(operation: Operation, status: string, schemes: Readonly<Record<string, SecurityScheme>>) {
    this.operation = operation;
    this.status = status;
    this.request = validRequestOf(operation);
    // Only the role of a key has permissions.
    const withRole = operation.security.find((names) => names.some((name) => schemes[name]?.type === 'apiKey'));
    this.presentedTogether =
      (operation.requiredPermission === null ? undefined : withRole) ?? operation.security[0] ?? [];
    this.scheme = schemes[this.presentedTogether[0] ?? ''];
  }

  /** The kind of the secret that the scheme presents. */
  get kind(): string {
    return this.scheme?.type === 'apiKey' ? 'api-key' : 'access-token';
  }

  /** Whether several credentials are required together. */
  get needsSeveral(): boolean {
    return this.presentedTogether.length > 1;
  }

  /** The code of the header that presents a secret, which is code too. */
  presented(secret: string): string {
    if (this.scheme?.type !== 'apiKey') return `{ authorization: \`Bearer \${${secret}}\` }`;
    return `{ ${JSON.stringify(this.scheme.name)}: ${secret} }`;
  }

  /** The code of a call. */
  call({ headers, body, path = this.request.path }: Changes): string {
    const own = Object.entries(this.request.headers).filter(([name]) => headers?.includes(`"${name}"`) !== true);
    const given = headers?.startsWith('{') === true ? headers.slice(1, -1).trim() : headers && `...${headers}`;
    const fields = [...own.map(field), ...(given === undefined ? [] : [given])];
    const allHeaders = own.length === 0 ? headers : `{ ${fields.join(', ')} }`;
    const sent = body ?? (this.request.body === undefined ? undefined : JSON.stringify(this.request.body));
    const options = [
      ...(allHeaders === undefined ? [] : [allHeaders === 'headers' ? 'headers' : `headers: ${allHeaders}`]),
      ...(sent === undefined ? [] : [`body: ${sent}`]),
    ];
    const last = options.length === 0 ? '' : `, { ${options.join(', ')} }`;
    return `api.call('${this.request.method}', ${JSON.stringify(path)}${last})`;
  }

  /** The lines that create a caller, if the operation requires one. */
  caller(names: string, missing?: string): string {
    if (!this.scheme) return '';
    const last = missing === undefined ? '' : `, ${missing}`;
    return `const { ${names} } = await addCaller(api.store, '${this.operation.operationId}'${last});`;
  }

  /** The code of a test of one request. */
  test(title: string, { code, equals, needsData, anonymous, caller, body, query, ...changes }: RequestTest): string {
    const hasCaller = this.scheme !== undefined && anonymous !== true;
    const { headers = {}, path = this.request.path } = changes;
    const described = Object.entries(headers).map(field);
    const all = [...(hasCaller ? ['...headers'] : []), ...described];
    const call = this.call({
      ...(described.length > 0 ? { headers: `{ ${all.join(', ')} }` } : hasCaller && { headers: 'headers' }),
      ...(body !== undefined && { body }),
      path: query === undefined ? path : `${path}${path.includes('?') ? '&' : '?'}${query}`,
    });
    const error = code === undefined ? undefined : (['body', `{ error_code: '${code}' }`] as const);
    const [received, value] = equals ?? error ?? [];
    return `test(${JSON.stringify(title)}, async () => {
      ${hasCaller ? this.caller('headers', caller) : ''}
      ${hasCaller && needsData === true ? addData : ''}
      const { status${received === undefined ? '' : `, ${received}`} } = await ${call};
      ${
        received === undefined
          ? `expect(status).toBe(${this.status});`
          : `expect([status, ${received}]).${equals ? 'toEqual' : 'toMatchObject'}([${this.status}, ${value}]);`
      }
    });`;
  }

  /** The text of the file. */
  file({ tests, options }: Stub): string {
    const given = options === undefined ? '' : `, ${options}`;
    const text = `describeResponse('${this.operation.operationId}', ${this.status}, (api) => {\n${tests}\n}${given});\n`;
    const imports = Object.entries(modules).flatMap(([module, names]) => {
      const used = names.filter((name) => new RegExp(`\\b${name}[()]`).test(text));
      return used.length === 0 ? [] : [`import { ${used.join(', ')} } from '${module}';`];
    });
    return `${imports.join('\n')}\n\n${text}`;
  }
}

function field([name, value]: readonly [string, string]): string {
  return `${JSON.stringify(name)}: ${JSON.stringify(value)}`;
}

/** A request of an operation, made from the document's examples, as the arguments of the tests' \`api.call\`. */
export interface ValidRequest {
  readonly method: string;
  readonly path: string;
  /** Headers of required parameters and of the body. */
  readonly headers: Readonly<Record<string, string>>;
  /** A text, or a value that is sent as JSON. */
  readonly body: unknown;
}

/** A request that is valid if the document's examples are. */
export function validRequestOf({ method, path, parameters, requestBody }: Operation): ValidRequest {
  const requiredIn = (place: Parameter['in']) =>
    parameters.filter((parameter) => parameter.required && parameter.in === place);
  const pairsIn = (place: Parameter['in']) =>
    requiredIn(place).flatMap((parameter) => [...(pairsOfParameter(parameter, valueOf(parameter)) ?? [])]);
  const inPath = new Map(
    requiredIn('path').map((parameter) => [parameter.name, pathTextOf(parameter, valueOf(parameter))]),
  );
  const query = new URLSearchParams(pairsIn('query').map(([name, text]): [string, string] => [name, text]));
  const [mediaType, media] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  const example = media && (Object.values(media.examples)[0]?.value ?? media.schema.example);
  const isJsonBody = mediaType !== undefined && isJson(mediaType);
  return {
    method: method.toUpperCase(),
    path:
      path.replaceAll(/\{([^}]+)\}/g, (_all, name: string) => inPath.get(name) ?? '') +
      (query.size > 0 ? `?${query.toString()}` : ''),
    headers: {
      ...Object.fromEntries(pairsIn('header')),
      ...(mediaType !== undefined && mediaType !== 'application/json' && { 'content-type': mediaType }),
    },
    body: mediaType === undefined || isJsonBody ? example : typeof example === 'string' ? example : 'x',
  };
}

function valueOf({ example, schema }: Parameter): unknown {
  return example ?? sampleOf(schema);
}
