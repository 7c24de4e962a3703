import { createRequire } from 'node:module';
import type { Document } from 'openapi-backend';

/** The bundled OpenAPI document, generated/openapi.json. Readers that change what they are given must take a copy. */
export const openApiDocument = createRequire(import.meta.url)('#openapi.json') as Document;
