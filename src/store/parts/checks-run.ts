import { verificationFeature } from '../../domain/organisation.ts';

const hasFeature = `EXISTS (
  SELECT 1 FROM organisation_feature held
  WHERE held.organisation_id = o.organisation_id AND held.feature = '${verificationFeature}')`;

/** SQL for whether verification checks run for the organisation `o`: its setting is on, and it has the feature. */
export const checksRun = `(o.verification_enabled AND ${hasFeature})`;

/**
 * SQL for what prevents verification checks: `setting`, `feature`, or null. A setting that is off comes first, because
 * a change of the feature clears cached results only while the setting is on.
 */
export const checksPreventedBy = `
  CASE WHEN NOT o.verification_enabled THEN 'setting' WHEN NOT ${hasFeature} THEN 'feature' END`;
