import { setFlagsFromString } from 'node:v8';
import { Ajv2019 } from 'ajv/dist/2019.js';
import addFormats from 'ajv-formats';

/**
 * Creates a validator for schemas made by `jsonSchemaOf`. It ignores unknown keywords and formats.
 * @param validateFormats whether `format` is enforced
 */
export function createAjv({ validateFormats = true } = {}): Ajv2019 {
  const ajv = new Ajv2019({
    allErrors: true,
    strict: false,
    logger: false,
    validateSchema: false,
    validateFormats,
    // 19.99 is no multiple of 0.01 in binary fractions.
    multipleOfPrecision: 6,
    // Most schemas validate a few values: to optimise the code of their validators takes longer than they run.
    code: { regExp: Object.assign(patternOf, { code: 'patternOf' }), optimize: false },
  });
  addFormats.default(ajv);
  return ajv;
}

// A pattern such as `(a|a)+$` backtracks exponentially; with this flag, V8 falls back to its linear-time engine.
setFlagsFromString('--enable-experimental-regexp-engine-on-excessive-backtracks');

/** Patterns come in many dialects. One that JavaScript cannot compile matches everything. */
function patternOf(pattern: string): RegExp {
  const flags = /\\[pu]\{/i.test(pattern) ? 'u' : '';
  try {
    return new RegExp(pattern, flags);
  } catch {
    return /(?:)/;
  }
}
