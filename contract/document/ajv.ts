import { Ajv2019 } from 'ajv/dist/2019.js';
import addFormats from 'ajv-formats';

/** A validator of the schemas that `jsonSchemaOf` makes. It ignores keywords and formats that it does not know. */
export function createAjv(): Ajv2019 {
  const ajv = new Ajv2019({
    allErrors: true,
    strict: false,
    logger: false,
    validateSchema: false,
    code: { regExp: Object.assign(patternOf, { code: 'patternOf' }) },
  });
  addFormats.default(ajv);
  return ajv;
}

/**
 * The patterns of others are of many dialects. One that is no regular expression with Unicode is taken as one without, and one
 * that is none at all allows everything.
 */
function patternOf(pattern: string): RegExp {
  for (const flags of ['u', ''])
    try {
      return new RegExp(pattern, flags);
    } catch {
      // The next flags may do.
    }
  return /(?:)/;
}
