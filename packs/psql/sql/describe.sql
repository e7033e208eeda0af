\set ON_ERROR_STOP on
SELECT json_build_object(
  'table', t.oid::regclass::text,
  'comment', obj_description(t.oid, 'pg_class'),
  'columns', coalesce((SELECT json_agg(c) FROM (
    SELECT a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type, NOT a.attnotnull AS nullable,
      pg_get_expr(d.adbin, d.adrelid) AS default, col_description(a.attrelid, a.attnum) AS comment
    FROM pg_attribute a LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
    WHERE a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum) c), '[]'),
  'indexes', coalesce((SELECT json_agg(i) FROM (
    SELECT x.indexrelid::regclass::text AS name, pg_get_indexdef(x.indexrelid) AS definition, x.indisvalid AS valid
    FROM pg_index x WHERE x.indrelid = t.oid ORDER BY 1) i), '[]'),
  'constraints', coalesce((SELECT json_agg(k) FROM (
    SELECT conname AS name, pg_get_constraintdef(oid) AS definition
    FROM pg_constraint WHERE conrelid = t.oid ORDER BY 1) k), '[]'),
  'triggers', coalesce((SELECT json_agg(g) FROM (
    SELECT tgname AS name, pg_get_triggerdef(oid) AS definition
    FROM pg_trigger WHERE tgrelid = t.oid AND NOT tgisinternal ORDER BY 1) g), '[]'))
FROM pg_class t WHERE t.oid = :'table'::regclass;
