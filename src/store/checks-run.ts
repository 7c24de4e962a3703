import { verificationFeature } from '../domain/organisation.ts';

/** SQL for whether verification checks run for the organisation `o`: its setting is on, and it has the feature. */
export const checksRun = `(o.verification_enabled AND EXISTS (
  SELECT 1 FROM organisation_feature held
  WHERE held.organisation_id = o.organisation_id AND held.feature = '${verificationFeature}'))`;
