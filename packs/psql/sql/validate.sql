\set ON_ERROR_STOP on
WITH own AS (
  SELECT c.* FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname <> 'information_schema' AND n.nspname NOT LIKE 'pg\_%'
), findings AS (
  SELECT 'invalid index' AS what, i.indexrelid::regclass::text AS name FROM pg_index i JOIN own ON own.oid = i.indexrelid WHERE NOT i.indisvalid
  UNION ALL
  SELECT 'constraint not validated', k.conrelid::regclass::text || '.' || k.conname FROM pg_constraint k JOIN own ON own.oid = k.conrelid WHERE NOT k.convalidated
  UNION ALL
  SELECT 'no primary key', own.oid::regclass::text FROM own
  WHERE own.relkind IN ('r', 'p') AND NOT own.relispartition AND NOT EXISTS (SELECT FROM pg_index i WHERE i.indrelid = own.oid AND i.indisprimary)
  UNION ALL
  SELECT 'sequence runs out', format('%I.%I', schemaname, sequencename) FROM pg_sequences WHERE increment_by > 0 AND last_value > max_value * 0.8
  UNION ALL
  SELECT 'transaction ids run out', datname FROM pg_database WHERE age(datfrozenxid) > 1500000000
)
SELECT json_build_object('ok', NOT EXISTS (SELECT FROM findings),
  'findings', coalesce((SELECT json_agg(f) FROM (SELECT * FROM findings ORDER BY 1, 2 LIMIT 500) f), '[]'));
