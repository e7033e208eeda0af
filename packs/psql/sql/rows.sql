\set ON_ERROR_STOP on
\if :{?limit}
\else
  \set limit 20
\endif
SELECT format('SELECT coalesce(json_agg(t), ''[]'') FROM (SELECT * FROM %s LIMIT %s) t', :'table'::regclass, :'limit'::int)
\gexec
