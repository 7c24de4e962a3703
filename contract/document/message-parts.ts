import type { DocumentedResponse, Example, Header, MediaType, Parameter, RequestBody, Schema } from './model.ts';
import type { RawExample, RawHeader, RawMediaType, RawParameter, RawRequestBody, RawResponse } from './raw.ts';

type Named<Value> = Record<string, Value>;

/** The styles that are supported. Any value is accepted of a parameter in another style, and none can be made. */
export const parameterStyles = { path: 'simple', header: 'simple', query: 'form', cookie: 'form' } as const;

function isReadable({ in: where, style = parameterStyles[where], content }: RawParameter): boolean {
  return style === parameterStyles[where] && content === undefined;
}

/** Makes the parts of requests and responses of one document, whose schemas have one form. */
export class MessageParts {
  readonly schema: (schema: Schema) => Schema;

  constructor(schema: (schema: Schema) => Schema) {
    this.schema = schema;
  }

  parameter(parameter: RawParameter): Parameter {
    const style = parameterStyles[parameter.in];
    const header = this.header(parameter);
    return {
      name: parameter.name,
      in: parameter.in,
      style,
      explode: parameter.explode ?? style === 'form',
      ...(isReadable(parameter) ? header : { required: header.required, schema: {} }),
      description: parameter.description ?? '',
    };
  }

  requestBody(body: RawRequestBody): RequestBody {
    return {
      description: body.description ?? '',
      required: body.required ?? false,
      content: this.content(body.content),
      maxBytes: body['x-max-body-bytes'] ?? Number.POSITIVE_INFINITY,
    };
  }

  responses(responses: Named<RawResponse> = {}): Named<DocumentedResponse> {
    return mapValues(responses, ({ description = '', headers, content }) => ({
      description,
      headers: this.headers(headers),
      content: this.content(content),
    }));
  }

  headers(headers: Named<RawHeader> = {}): Named<Header> {
    return mapValues(headers, (header) => this.header(header));
  }

  private header({ description, required = false, schema = {}, example, examples = {} }: RawHeader): Header {
    const value = example ?? Object.values(examples)[0]?.value;
    return {
      ...(description !== undefined && { description }),
      required,
      schema: this.schema(schema),
      ...(value !== undefined && { example: value }),
    };
  }

  private content(content: Named<RawMediaType> = {}): Named<MediaType> {
    return mapValues(content, ({ schema = {}, example, examples }) => ({
      schema: this.schema(schema),
      examples: mapValues(examples ?? (example === undefined ? {} : { example: { value: example } }), exampleOf),
    }));
  }
}

function exampleOf({ summary, value }: RawExample): Example {
  return { ...(summary !== undefined && { summary }), value };
}

function mapValues<From, To>(record: Named<From>, map: (value: From) => To): Named<To> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}
