\set ON_ERROR_STOP on
SELECT json_build_object(
  'database', current_database(),
  'bytes', pg_database_size(current_database()),
  'largest', coalesce((SELECT json_agg(t) FROM (
    SELECT c.oid::regclass::text AS name, pg_total_relation_size(c.oid) AS bytes, pg_relation_size(c.oid) AS main_bytes,
      pg_indexes_size(c.oid) AS index_bytes, CASE WHEN c.reltoastrelid <> 0 THEN pg_total_relation_size(c.reltoastrelid) ELSE 0 END AS toast_bytes
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'm') AND n.nspname <> 'information_schema' AND n.nspname NOT LIKE 'pg\_%'
    ORDER BY 2 DESC, 1 LIMIT 50) t), '[]'));
