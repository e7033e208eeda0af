\set ON_ERROR_STOP on
SELECT coalesce(json_agg(t), '[]') FROM (
  SELECT pid, usename AS user, datname AS database, application_name AS application, state, wait_event_type AS waits_for, wait_event AS waits_on,
    round(extract(epoch FROM now() - xact_start)::numeric, 3) AS transaction_seconds,
    round(extract(epoch FROM now() - query_start)::numeric, 3) AS query_seconds, left(query, 500) AS query
  FROM pg_stat_activity
  WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() AND state IS DISTINCT FROM 'idle'
  ORDER BY xact_start NULLS LAST, pid LIMIT 200
) t;
