\set ON_ERROR_STOP on
SELECT json_build_object(
  'server', current_setting('server_version'), 'database', current_database(), 'standby', pg_is_in_recovery(),
  'writes', current_setting('transaction_read_only') = 'off',
  'role', (SELECT json_build_object('name', rolname, 'superuser', rolsuper, 'create_role', rolcreaterole, 'create_database', rolcreatedb,
      'replication', rolreplication, 'bypass_row_security', rolbypassrls) FROM pg_roles WHERE rolname = current_user),
  'connections', json_build_object('used', (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'), 'max', current_setting('max_connections')::int),
  'extensions', coalesce((SELECT json_agg(json_build_object('name', extname, 'version', extversion) ORDER BY extname) FROM pg_extension), '[]'),
  'databases', coalesce((SELECT json_agg(datname ORDER BY datname) FROM pg_database WHERE NOT datistemplate AND has_database_privilege(oid, 'CONNECT')), '[]'));
