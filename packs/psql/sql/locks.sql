\set ON_ERROR_STOP on
SELECT coalesce(json_agg(t), '[]') FROM (
  SELECT a.pid, a.usename AS user, round(extract(epoch FROM now() - a.query_start)::numeric, 3) AS query_seconds, left(a.query, 500) AS query,
    (SELECT json_agg(b) FROM (
      SELECT h.pid, h.usename AS user, h.state, left(h.query, 500) AS query
      FROM pg_stat_activity h WHERE h.pid = ANY (pg_blocking_pids(a.pid)) ORDER BY 1) b) AS blocked_by
  FROM pg_stat_activity a WHERE cardinality(pg_blocking_pids(a.pid)) > 0 ORDER BY 1 LIMIT 200
) t;
