/** The parts of an OpenAPI document that the model is made from, as written, but with references resolved. */
import type { Example, Header, HttpMethod, Link, Schema, Server } from './model.ts';

export interface RawDocument {
  openapi: string;
  info: { title: string; version: string; description?: string };
  servers?: RawServer[];
  tags?: { name: string; description?: string }[];
  security?: Record<string, string[]>[];
  paths?: Record<string, RawPathItem>;
  components?: {
    securitySchemes?: Record<string, RawSecurityScheme>;
    schemas?: Record<string, Schema>;
    headers?: Record<string, RawHeader>;
    responses?: Record<string, RawResponse>;
  };
  'x-service-responses'?: Record<string, RawResponse>;
  'x-error-codes'?: Record<string, { status: number; error_message: string }>;
}

export type RawServer = Pick<Server, 'url'> & { description?: string; 'x-region'?: string };

export interface RawSecurityScheme {
  type: string;
  in?: string;
  name?: string;
  scheme?: string;
  description?: string;
}

export type RawPathItem = { servers?: RawServer[]; parameters?: RawParameter[] } & Partial<
  Record<HttpMethod, RawOperation>
>;

export interface RawOperation {
  operationId: string;
  summary?: string;
  description?: string;
  tags?: string[];
  parameters?: RawParameter[];
  requestBody?: RawRequestBody;
  responses?: Record<string, RawResponse>;
  security?: Record<string, string[]>[];
  servers?: RawServer[];
  'x-required-permission'?: string | null;
  'x-required-feature'?: string | null;
  'x-codeSamples'?: { lang: string; source: string }[];
}

export interface RawHeader extends Partial<Header> {
  examples?: Record<string, RawExample>;
}

export interface RawParameter extends RawHeader {
  name: string;
  in: 'path' | 'query' | 'header' | 'cookie';
  style?: string;
  explode?: boolean;
  allowReserved?: boolean;
  content?: unknown;
}

export type RawExample = Partial<Example>;

export interface RawMediaType {
  schema?: Schema;
  example?: unknown;
  examples?: Record<string, RawExample>;
  encoding?: Record<string, { contentType?: string; style?: string; explode?: boolean }>;
}

export interface RawRequestBody {
  description?: string;
  required?: boolean;
  content?: Record<string, RawMediaType>;
  'x-max-body-bytes'?: number;
}

export interface RawResponse {
  description?: string;
  headers?: Record<string, RawHeader>;
  content?: Record<string, RawMediaType>;
  links?: Record<string, Partial<Link>>;
}
