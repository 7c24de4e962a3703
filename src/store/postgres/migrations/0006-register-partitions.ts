export const registerPartitions = `
-- An import creates a partition and drops those of earlier imports, even if its role owns no table. Both functions run
-- as the owner. They therefore look up names in this schema only, and only roles with EXECUTE may call them.
CREATE FUNCTION add_register_partition(generation integer) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  EXECUTE format('CREATE TABLE %I PARTITION OF registry_company FOR VALUES IN (%s)', 'registry_company_' || generation, generation);
END $$;
CREATE FUNCTION drop_register_partition(generation integer) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  EXECUTE format('DROP TABLE IF EXISTS %I', 'registry_company_' || generation);
END $$;
REVOKE EXECUTE ON FUNCTION add_register_partition, drop_register_partition FROM PUBLIC;
DO $$
BEGIN
  EXECUTE format('ALTER FUNCTION add_register_partition SET search_path = %I, pg_temp', current_schema());
  EXECUTE format('ALTER FUNCTION drop_register_partition SET search_path = %I, pg_temp', current_schema());
END $$;
`;
