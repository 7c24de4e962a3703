import type {
  DocumentedResponse,
  Example,
  Header,
  MediaType,
  Parameter,
  ParameterStyle,
  RequestBody,
  Schema,
} from './model.ts';
import { type OneWay, withoutOneWayFields } from './one-way-fields.ts';
import type { RawExample, RawHeader, RawMediaType, RawParameter, RawRequestBody, RawResponse } from './raw.ts';

type Named<Value> = Record<string, Value>;

/** The default styles of parameters, which are the only ones that the generators support. */
export const parameterStyles = { path: 'simple', header: 'simple', query: 'form', cookie: 'form' } as const;

/** Makes the parts of requests and responses of one document, converting its schemas to one form. */
export class MessageParts {
  readonly schema: (schema: Schema) => Schema;

  constructor(schema: (schema: Schema) => Schema) {
    this.schema = schema;
  }

  parameter(parameter: RawParameter): Parameter {
    const style = (parameter.style ?? parameterStyles[parameter.in]) as ParameterStyle;
    const header = this.header(parameter);
    return {
      name: parameter.name,
      in: parameter.in,
      style,
      explode: parameter.explode ?? style === 'form',
      // A parameter that is described by content accepts any value, and none can be generated.
      ...(parameter.content === undefined ? header : { required: header.required, schema: {} }),
      description: parameter.description ?? '',
    };
  }

  requestBody(body: RawRequestBody): RequestBody {
    return {
      description: body.description ?? '',
      required: body.required ?? false,
      content: this.content(body.content, 'readOnly'),
      maxBytes: body['x-max-body-bytes'] ?? Number.POSITIVE_INFINITY,
    };
  }

  responses(responses: Named<RawResponse> = {}): Named<DocumentedResponse> {
    return mapValues(responses, ({ description = '', headers, content }) => ({
      description,
      // OpenAPI ignores a header of this name, because `content` describes it.
      headers: withoutName(this.headers(headers), /^content-type$/i),
      content: this.content(content, 'writeOnly'),
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

  private content(content: Named<RawMediaType> = {}, otherWay: OneWay): Named<MediaType> {
    return mapValues(content, ({ schema = {}, example, examples, encoding = {} }) => ({
      schema: withoutOneWayFields(this.schema(schema), otherWay),
      examples: mapValues(examples ?? (example === undefined ? {} : { example: { value: example } }), exampleOf),
      partTypes: partTypesOf(encoding),
    }));
  }
}

/** Of several media types, the first that is no range. */
function partTypesOf(encoding: NonNullable<RawMediaType['encoding']>): Named<string> {
  return Object.fromEntries(
    Object.entries(encoding).flatMap(([field, { contentType = '' }]) => {
      const type = contentType.split(/[ \t]*,[ \t]*/).find((each) => /^[^*]+$/.test(each));
      return type === undefined ? [] : [[field, type]];
    }),
  );
}

function exampleOf({ summary, value }: RawExample): Example {
  return { ...(summary !== undefined && { summary }), value };
}

function withoutName<Value>(named: Named<Value>, pattern: RegExp): Named<Value> {
  return Object.fromEntries(Object.entries(named).filter(([name]) => !pattern.test(name)));
}

function mapValues<From, To>(record: Named<From>, map: (value: From) => To): Named<To> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}
