import { duration } from '../runtime/config-values.ts';

/** The environment variables for analyses. */
export const analysisSettings = {
  REGISTRY_RESULT_MAX_AGE: duration('0s', '30d')({ default: 86_400_000 }),
};
