-- The roles of a region's database: one that owns it and migrates its schema, and one for servers, which gets its rights to rows
-- from `document-analysis store migrate`. Their passwords are read from the files that hold the URLs to connect with.
-- Usage: OWNER_URL_FILE=FILE SERVER_URL_FILE=FILE psql --set=ON_ERROR_STOP=1 --file=deploy/roles.sql DATABASE
-- compose.yaml has it run by the image of PostgreSQL when a volume is new.
\set ECHO none
\set owner `sed -E 's|^[a-z]+://([^:@]+):.*|\1|' "$OWNER_URL_FILE"`
\set owner_password `sed -E 's|^[a-z]+://[^:@]+:([^@]+)@.*|\1|' "$OWNER_URL_FILE"`
\set server `sed -E 's|^[a-z]+://([^:@]+):.*|\1|' "$SERVER_URL_FILE"`
\set server_password `sed -E 's|^[a-z]+://[^:@]+:([^@]+)@.*|\1|' "$SERVER_URL_FILE"`
SELECT current_database() AS database \gset
-- A statement that fails is not logged with the password in it.
SET log_min_error_statement = panic;
CREATE ROLE :"owner" LOGIN PASSWORD :'owner_password';
CREATE ROLE :"server" LOGIN PASSWORD :'server_password';
ALTER DATABASE :"database" OWNER TO :"owner";
ALTER SCHEMA public OWNER TO :"owner";
REVOKE ALL ON DATABASE :"database" FROM PUBLIC;
REVOKE ALL ON SCHEMA public FROM PUBLIC;
GRANT CONNECT ON DATABASE :"database" TO :"server";
