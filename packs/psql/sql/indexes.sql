\set ON_ERROR_STOP on
SELECT coalesce(json_agg(t), '[]') FROM (
  SELECT s.relid::regclass::text AS table, s.indexrelid::regclass::text AS index, s.idx_scan AS scans,
    pg_relation_size(s.indexrelid) AS bytes, i.indisunique AS unique, i.indisprimary AS primary, i.indisvalid AS valid
  FROM pg_stat_user_indexes s JOIN pg_index i USING (indexrelid)
  ORDER BY s.idx_scan, 4 DESC, 1, 2 LIMIT 500
) t;
