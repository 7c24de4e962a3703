/** What only PostgreSQL has: domains of types, and triggers and functions in PL/pgSQL. */

export const postgresTypes = `
-- Compared and sorted by bytes, regardless of the database's collation.
CREATE DOMAIN identifier AS text COLLATE "C";
-- A time in the format of the API and of the embedded store: UTC with milliseconds, which sorts as text.
CREATE DOMAIN instant AS text COLLATE "C" CHECK (VALUE ~ '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$');
`;

export const postgresRoutines = `
CREATE FUNCTION refuse_change_of_audit_entry() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'audit entries are append-only';
END $$;
CREATE TRIGGER audit_entry_is_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_entry
FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_audit_entry();

CREATE FUNCTION renew_case_revision() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO case_revision SELECT case_id, gen_random_uuid() FROM changed GROUP BY case_id
    ON CONFLICT (case_id) DO UPDATE SET revision = EXCLUDED.revision;
  RETURN NULL;
END $$;
CREATE TRIGGER case_record_begins_revision AFTER INSERT ON case_record
REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION renew_case_revision();
CREATE TRIGGER changed_case_record_renews_revision AFTER UPDATE ON case_record
REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION renew_case_revision();
CREATE TRIGGER added_case_file_renews_revision AFTER INSERT ON case_file
REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION renew_case_revision();
CREATE TRIGGER changed_case_file_renews_revision AFTER UPDATE ON case_file
REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION renew_case_revision();
CREATE TRIGGER removed_case_file_renews_revision AFTER DELETE ON case_file
REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION renew_case_revision();
-- A file that moves to another case changes both.
CREATE TRIGGER moved_case_file_renews_revision AFTER UPDATE ON case_file
REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION renew_case_revision();

-- A caller's rights as JSON; null if there is no such organisation. The rows are locked until the transaction ends:
-- a transaction that withdraws a right waits for this one, or this one waits for it.
CREATE FUNCTION hold_rights(credential_id identifier, organisation_id identifier) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  RETURN (
    SELECT json_build_object(
      'credential', c.credential,
      'permissions', coalesce(c.permissions, '{}'),
      'features', ARRAY(
        SELECT f.feature FROM organisation_feature f WHERE f.organisation_id = $2 ORDER BY f.feature FOR KEY SHARE))
    FROM organisation o LEFT JOIN LATERAL (
      SELECT
        json_build_object('kind', c.kind, 'expires_at', c.expires_at, 'revoked_at', c.revoked_at) AS credential,
        ARRAY(SELECT p.permission FROM role_permission p WHERE p.role = c.role ORDER BY p.permission FOR KEY SHARE)
          AS permissions
      FROM credential c WHERE c.credential_id = $1 AND c.organisation_id = $2 FOR SHARE
    ) c ON true
    WHERE o.organisation_id = $2);
END $$;

-- Saves the settings of updates, in their order, and returns a row for each. An update reads and locks the rights of its
-- callers. If they are as expected, it saves the setting, clears the cached results if the setting changed, and writes the
-- audit entry. Otherwise it returns the rights in 'held' and changes nothing. 'enabled_before' is null if there is no such
-- organisation.
CREATE FUNCTION update_verification_settings(updates json)
RETURNS TABLE (held text[], enabled_before boolean, cleared_results integer) LANGUAGE plpgsql AS $$
DECLARE
  u record;
BEGIN
  FOR u IN SELECT * FROM json_to_recordset(updates) AS given (
    credential_ids identifier[], organisation_ids identifier[], expected text[], enabled boolean, organisation_id identifier,
    id identifier, occurred_at instant, credential_id identifier, action text, after text, request_id text)
  LOOP
    held := '{}';
    enabled_before := NULL;
    cleared_results := 0;
    FOR n IN 1 .. cardinality(u.credential_ids) LOOP
      held[n] := hold_rights(u.credential_ids[n], u.organisation_ids[n]);
    END LOOP;
    IF held IS NOT DISTINCT FROM u.expected THEN
      held := NULL;
      -- Updates of one organisation wait for one another here, and a cached result for the update: what is saved before
      -- is cleared, what is saved after is kept.
      SELECT verification_enabled INTO enabled_before FROM organisation o
        WHERE o.organisation_id = u.organisation_id FOR UPDATE;
      IF enabled_before <> u.enabled THEN
        UPDATE organisation o SET verification_enabled = u.enabled, verification_changes = verification_changes + 1
          WHERE o.organisation_id = u.organisation_id;
        DELETE FROM cached_analysis_result c WHERE c.organisation_id = u.organisation_id;
        GET DIAGNOSTICS cleared_results = ROW_COUNT;
      END IF;
      INSERT INTO audit_entry
        (id, occurred_at, organisation_id, credential_id, action, before, after, request_id, cleared)
      SELECT u.id, u.occurred_at, u.organisation_id, u.credential_id, u.action, '{"enabled":' || enabled_before || '}',
        u.after, u.request_id, cleared_results WHERE enabled_before IS NOT NULL;
    END IF;
    RETURN NEXT;
  END LOOP;
END $$;
`;
