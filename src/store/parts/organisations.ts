import { randomUUID } from 'node:crypto';
import type { AuditEntry, FeatureUpdateEntry } from '../../domain/audit.ts';
import { type Organisation, verificationFeature } from '../../domain/organisation.ts';
import { ConflictError } from '../errors.ts';
import { all, count, first, required, run, type Statements } from '../statements.ts';
import type { Part, Selection } from './dialect.ts';

export interface FeatureChange {
  organisationId: string;
  feature: string;
  enabled: boolean;
  occurredAt: string;
}

export function organisationStore({ db, reads, writes, lockTable }: Part) {
  const add = (id: string, feature: string) => {
    const added = db.insertInto('organisation_feature').values({ organisation_id: id, feature });
    return added.onConflict((conflict) => conflict.doNothing());
  };

  return {
    ...reads({
      /** In the order of their creation. */
      *listOrganisations() {
        const organisations = yield* all(
          db
            .selectFrom('organisation')
            .select(['organisation_id', 'name', 'created_at', 'verification_enabled'])
            .orderBy('created_at')
            .orderBy('organisation_id'),
        );
        const held = yield* all(db.selectFrom('organisation_feature').selectAll().orderBy('feature'));
        const featuresOf = Map.groupBy(held, ({ organisation_id: id }) => id);
        return organisations.map((organisation): Organisation => {
          const features = featuresOf.get(organisation.organisation_id) ?? [];
          return { ...organisation, features: features.map(({ feature }) => feature) };
        });
      },
    }),

    ...writes({
      /** @throws {ConflictError} if the name is taken */
      *createOrganisation({ features, ...organisation }: Organisation) {
        const added = db.insertInto('organisation').values(organisation);
        if ((yield* count(added.onConflict((taken) => taken.doNothing()))) === 0)
          throw new ConflictError(`An organisation named ${organisation.name} already exists.`);
        for (const feature of features) yield* run(add(organisation.organisation_id, feature));
      },

      /**
       * Grants or withdraws a feature, clears the cached results if that changes whether checks run, and writes the audit
       * entry: all or none.
       * @throws {NotFoundError} if there is no such organisation
       */
      *updateFeature({ organisationId, feature, enabled, occurredAt }: FeatureChange): Statements<FeatureUpdateEntry> {
        // Serialises changes of features, so that no other transaction adds or deletes the row that is locked next:
        // before the organisation, as a request locks its rights before it updates the setting.
        yield* lockTable('organisation_feature');
        const held = db.selectFrom('organisation_feature').where('organisation_id', '=', organisationId);
        yield* first(held.where('feature', '=', feature).select('feature').forUpdate());
        const organisation = db.selectFrom('organisation').where('organisation_id', '=', organisationId);
        const locked = organisation.select('verification_enabled').forUpdate();
        const setting = yield* required(locked, 'organisation', organisationId);
        const removal = db.deleteFrom('organisation_feature').where('organisation_id', '=', organisationId);
        const change = enabled ? add(organisationId, feature) : removal.where('feature', '=', feature);
        const changed = (yield* count(change)) === 1;
        const checksChange = changed && feature === verificationFeature && setting.verification_enabled;
        const cleared = checksChange ? yield* invalidateResults(db, organisationId) : 0;
        return yield* writeAuditEntry(db, {
          occurred_at: occurredAt,
          organisation_id: organisationId,
          action: 'organisation.feature.updated',
          before: { feature, enabled: changed ? !enabled : enabled },
          after: { feature, enabled },
          cleared,
        });
      },
    }),
  };
}

/** Clears the cached results, and prevents analyses in flight from caching theirs. Returns the number cleared. */
function* invalidateResults(db: Part['db'], organisationId: string): Statements<number> {
  const organisation = db.updateTable('organisation').where('organisation_id', '=', organisationId);
  yield* run(organisation.set((update) => ({ verification_changes: update('verification_changes', '+', 1) })));
  return yield* count(db.deleteFrom('cached_analysis_result').where('organisation_id', '=', organisationId));
}

/** @throws {NotFoundError} if there is no such organisation */
export function requireOrganisation(db: Part['db'], id: string): Statements<object> {
  const organisation = db.selectFrom('organisation').select('organisation_id').where('organisation_id', '=', id);
  return required(organisation, 'organisation', id);
}

export function auditStore({ db, reads }: Part) {
  return reads({
    /** The newest first. */
    *listAuditEntries({ organisationId, limit }: Selection) {
      const rows = yield* all(
        db
          .selectFrom('audit_entry')
          .select(['id', 'occurred_at', 'organisation_id', 'credential_id', 'action'])
          .select(['before', 'after', 'request_id', 'cleared'])
          .$if(organisationId !== undefined, (query) => query.where('organisation_id', '=', String(organisationId)))
          .orderBy('sequence', 'desc')
          .limit(limit),
      );
      return rows.map((row) => {
        const [before, after] = [JSON.parse(row.before) as unknown, JSON.parse(row.after) as unknown];
        return { ...row, before, after } as AuditEntry;
      });
    },
  });
}

/** An act of the service itself, which has no credential and no request. */
type OwnAct<Entry> = Entry extends { credential_id: null } ? Omit<Entry, 'id' | 'credential_id' | 'request_id'> : never;

/** Writes the entry of an act of the service itself, in the same transaction as the change that it describes. */
export function* writeAuditEntry<Act extends OwnAct<AuditEntry>>(db: Part['db'], act: Act) {
  const entry = { id: randomUUID(), credential_id: null, request_id: null, ...act };
  const [before, after] = [JSON.stringify(entry.before), JSON.stringify(entry.after)];
  yield* run(db.insertInto('audit_entry').values({ ...entry, before, after }));
  return entry;
}
