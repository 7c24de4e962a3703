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

-- Reads and locks the rights of the callers. If they are as expected, the function saves the setting, clears the cached
-- results if the setting changed, and writes the audit entry. Otherwise it returns the rights in 'held' and changes
-- nothing. 'enabled_before' is null if there is no such organisation.
CREATE FUNCTION update_verification_setting(
  credential_ids identifier[], organisation_ids identifier[], expected text[],
  updated_organisation identifier, setting boolean,
  entry_id identifier, entry_time instant, entry_credential identifier, entry_action text, entry_after text,
  entry_request text,
  OUT held text[], OUT enabled_before boolean, OUT cleared_results integer
) LANGUAGE plpgsql AS $$
BEGIN
  held := '{}';
  FOR n IN 1 .. cardinality(credential_ids) LOOP
    held[n] := hold_rights(credential_ids[n], organisation_ids[n]);
  END LOOP;
  IF held IS DISTINCT FROM expected THEN RETURN; END IF;
  held := NULL;
  -- Updates of one organisation wait for one another here, and a cached result for the update: what is saved before is
  -- cleared, what is saved after is kept.
  SELECT verification_enabled INTO enabled_before FROM organisation WHERE organisation_id = updated_organisation FOR UPDATE;
  IF NOT FOUND THEN RETURN; END IF;
  cleared_results := 0;
  IF enabled_before <> setting THEN
    UPDATE organisation SET verification_enabled = setting, verification_changes = verification_changes + 1
      WHERE organisation_id = updated_organisation;
    DELETE FROM cached_analysis_result WHERE organisation_id = updated_organisation;
    GET DIAGNOSTICS cleared_results = ROW_COUNT;
  END IF;
  INSERT INTO audit_entry
    (id, occurred_at, organisation_id, credential_id, action, before, after, request_id, cleared)
  VALUES (entry_id, entry_time, updated_organisation, entry_credential, entry_action,
    '{"enabled":' || enabled_before || '}', entry_after, entry_request, cleared_results);
END $$;
`;
