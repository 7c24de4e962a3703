import { createRequire } from 'node:module';
import type { AnySchemaObject } from 'ajv';

const load = createRequire(import.meta.url);

/** The published schema of the credentials file. */
export const credentialsSchema = load('#schemas/credentials.schema.json') as AnySchemaObject;

/** The published schema of the configuration file; each field is the option of the same name. */
export const configurationSchema = load('#schemas/configuration.schema.json') as AnySchemaObject;
