import type { Organisation } from '../../domain/organisation.ts';
import { ConflictError, NotFoundError } from '../errors.ts';
import { type Connection, isUniqueViolation } from './connection.ts';
import type { StorePart } from './store-part.ts';

type OrganisationRow = Pick<Organisation, 'organisation_id' | 'name' | 'created_at'> & {
  features: string;
  verification_enabled: 0 | 1;
};

export function organisationStore(
  connection: Connection,
): StorePart<'createOrganisation' | 'listOrganisations' | 'setFeature' | 'findFeatures'> {
  const insert = connection.prepare(
    'INSERT INTO organisation (organisation_id, name, created_at, verification_enabled) VALUES (?, ?, ?, ?)',
  );
  const addFeature = connection.prepare('INSERT OR IGNORE INTO organisation_feature VALUES (?, ?)');
  const removeFeature = connection.prepare(
    'DELETE FROM organisation_feature WHERE organisation_id = ? AND feature = ?',
  );
  const exists = connection.prepare('SELECT 1 FROM organisation WHERE organisation_id = ?');
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
          if (isUniqueViolation(error)) throw new ConflictError(`There is an organisation named ${name} already.`);
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

    setFeature: (organisationId, feature, enabled) =>
      write(() => {
        if (!exists.get(organisationId)) throw new NotFoundError('organisation', organisationId);
        (enabled ? addFeature : removeFeature).run(organisationId, feature);
      }),
  });
}
