import { type Organisation, verificationFeature } from '../../domain/organisation.ts';
import { featureEntryOf } from '../audit-entry.ts';
import { ConflictError, NotFoundError } from '../errors.ts';
import { auditWriter } from './audit.ts';
import { type Connection, isUniqueViolation } from './connection.ts';
import type { StorePart } from './store-part.ts';
import { checksChanger } from './verification-setting.ts';

type OrganisationRow = Pick<Organisation, 'organisation_id' | 'name' | 'created_at'> & {
  features: string;
  verification_enabled: 0 | 1;
};

export function organisationStore(
  connection: Connection,
): StorePart<'createOrganisation' | 'listOrganisations' | 'updateFeature' | 'findFeatures'> {
  const insert = connection.prepare(
    'INSERT INTO organisation (organisation_id, name, created_at, verification_enabled) VALUES (?, ?, ?, ?)',
  );
  const addFeature = connection.prepare('INSERT OR IGNORE INTO organisation_feature VALUES (?, ?)');
  const removeFeature = connection.prepare(
    'DELETE FROM organisation_feature WHERE organisation_id = ? AND feature = ?',
  );
  const findSetting = connection
    .prepare<[string], 0 | 1>('SELECT verification_enabled FROM organisation WHERE organisation_id = ?')
    .pluck();
  const changeChecks = checksChanger(connection);
  const writeEntry = auditWriter(connection);
  const list = connection.prepare<[], OrganisationRow>(`
    SELECT organisation_id, name, created_at, verification_enabled,
      (SELECT json_group_array(feature) FROM organisation_feature f WHERE f.organisation_id = o.organisation_id) AS features
    FROM organisation o ORDER BY created_at, organisation_id`);
  const features = connection.prepare<[string], { features: string }>(`
    SELECT (SELECT json_group_array(feature) FROM organisation_feature f WHERE f.organisation_id = o.organisation_id) AS features
    FROM organisation o WHERE organisation_id = ?`);

  return ({ read, write }) => ({
    createOrganisation: (organisation) =>
      write(() => {
        const { organisation_id: id, name, created_at: createdAt, verification_enabled: enabled } = organisation;
        try {
          insert.run(id, name, createdAt, Number(enabled));
        } catch (error) {
          if (isUniqueViolation(error)) throw new ConflictError(`An organisation named ${name} already exists.`);
          throw error;
        }
        for (const feature of organisation.features) addFeature.run(id, feature);
      }),

    listOrganisations: () =>
      read(() =>
        list.all().map((row) => ({
          ...row,
          features: JSON.parse(row.features) as string[],
          verification_enabled: row.verification_enabled === 1,
        })),
      ),

    findFeatures: (organisationId) =>
      read(() => {
        const row = features.get(organisationId);
        return row && (JSON.parse(row.features) as string[]);
      }),

    updateFeature: (change) =>
      write(() => {
        const { organisationId, feature, enabled } = change;
        const setting = findSetting.get(organisationId);
        if (setting === undefined) throw new NotFoundError('organisation', organisationId);
        const changed = (enabled ? addFeature : removeFeature).run(organisationId, feature).changes === 1;
        const checksChange = changed && feature === verificationFeature && setting === 1;
        const cleared = checksChange ? changeChecks(organisationId, true) : 0;
        const entry = featureEntryOf(change, changed ? !enabled : enabled, cleared);
        writeEntry(entry);
        return entry;
      }),
  });
}
