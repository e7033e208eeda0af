\set ON_ERROR_STOP on
SELECT json_build_object('pid', :'pid'::int, 'cancelled',
  CASE WHEN EXISTS (SELECT FROM pg_stat_activity WHERE pid = :'pid'::int AND backend_type = 'client backend') THEN pg_cancel_backend(:'pid'::int) ELSE false END);
