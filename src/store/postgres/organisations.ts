import { type Organisation, verificationFeature } from '../../domain/organisation.ts';
import { featureEntryOf } from '../audit-entry.ts';
import { ConflictError, NotFoundError } from '../errors.ts';
import type { Store } from '../store.ts';
import { writeAuditEntry } from './audit.ts';
import type { Connection, Query } from './connection.ts';
import { isUniqueViolation } from './faults.ts';
import { prepared } from './statement.ts';
import { changeChecks, lockSetting } from './verification-setting.ts';

const insert = prepared(
  'INSERT INTO organisation (organisation_id, name, created_at, verification_enabled) VALUES ($1, $2, $3, $4)',
);
const addFeature = prepared(
  'INSERT INTO organisation_feature (organisation_id, feature) VALUES ($1, $2) ON CONFLICT DO NOTHING',
);
const removeFeature = prepared('DELETE FROM organisation_feature WHERE organisation_id = $1 AND feature = $2');
// Serialises changes of features, so that no other transaction adds or deletes the row that the next statement locks.
const lockFeatures = 'LOCK TABLE organisation_feature IN SHARE ROW EXCLUSIVE MODE';
// Before the organisation, as a request locks its rights before it updates the setting: the two cannot deadlock.
const lockFeature = prepared('SELECT FROM organisation_feature WHERE organisation_id = $1 AND feature = $2 FOR UPDATE');
const exists = prepared('SELECT FROM organisation WHERE organisation_id = $1');
const list = prepared(`
  SELECT organisation_id, name, created_at, verification_enabled,
    ARRAY(SELECT feature FROM organisation_feature f WHERE f.organisation_id = o.organisation_id ORDER BY feature)::text[]
      AS features
  FROM organisation o ORDER BY created_at, organisation_id`);
const features = prepared(`
  SELECT
    ARRAY(SELECT feature FROM organisation_feature f WHERE f.organisation_id = o.organisation_id ORDER BY feature)::text[]
      AS features
  FROM organisation o WHERE organisation_id = $1`);

export function organisationStore(
  connection: Connection,
): Pick<Store, 'createOrganisation' | 'listOrganisations' | 'updateFeature' | 'findFeatures'> {
  return {
    createOrganisation: (organisation) =>
      connection.write(async (query) => {
        const { organisation_id: id, name, created_at: createdAt, verification_enabled: enabled } = organisation;
        try {
          await query(insert, [id, name, createdAt, enabled]);
        } catch (error) {
          if (isUniqueViolation(error)) throw new ConflictError(`An organisation named ${name} already exists.`);
          throw error;
        }
        for (const feature of organisation.features) await query(addFeature, [id, feature]);
      }),

    listOrganisations: async () => (await connection.query<Organisation>(list)).rows,

    findFeatures: async (organisationId) => {
      const { rows } = await connection.query<{ features: string[] }>(features, [organisationId]);
      return rows[0]?.features;
    },

    updateFeature: (change) =>
      connection.write(async (query) => {
        const { organisationId, feature, enabled } = change;
        await query(lockFeatures);
        await query(lockFeature, [organisationId, feature]);
        const setting = await lockSetting(query, organisationId);
        const { rowCount } = await query(enabled ? addFeature : removeFeature, [organisationId, feature]);
        const changed = rowCount === 1;
        const checksChange = changed && feature === verificationFeature && setting;
        const cleared = checksChange ? await changeChecks(query, organisationId, true) : 0;
        const entry = featureEntryOf(change, changed ? !enabled : enabled, cleared);
        await writeAuditEntry(query, entry);
        return entry;
      }),
  };
}

/** @throws {NotFoundError} if there is no such organisation */
export async function requireOrganisation(query: Query, organisationId: string): Promise<void> {
  const { rowCount } = await query(exists, [organisationId]);
  if (rowCount === 0) throw new NotFoundError('organisation', organisationId);
}
