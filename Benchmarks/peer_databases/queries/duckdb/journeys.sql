-- Each journey in one row, from one pass over the permission events: a journey's events as a list of numbers (time, rank of
-- the kind, what the status means), gone through by list functions. Faster here than joining answers to exposures, and than
-- windows. The optimizer leaves out what the query behind it does not use.
WITH codes AS (
  SELECT user_id, permission, variant,
    epoch_ms(timestamp) * 32
      + CASE event WHEN 'explanation_shown' THEN 0 WHEN 'prompt_shown' THEN 4 WHEN 'granted' THEN 8 WHEN 'denied' THEN 12
                   WHEN 'skipped' THEN 16 ELSE 20 END
      + CASE WHEN status = 'restricted' THEN 1
             WHEN status IN ('limited', 'provisional', 'ephemeral')
               OR status = 'write_only' AND permission <> 'calendars_write_only'
               OR status = 'when_in_use' AND permission = 'location_always' THEN 2
             ELSE 0 END AS code
  FROM events
  WHERE event IN ('explanation_shown', 'prompt_shown', 'granted', 'denied', 'skipped', 're_enabled') AND {permissions}
),
histories AS (
  SELECT user_id, permission, list(code) AS codes, arg_min(variant, code) FILTER (code & 31 < 8) AS variant
  FROM codes GROUP BY user_id, permission
),
exposures AS (
  SELECT *, list_min(list_filter(codes, lambda c: (c & 31) < 8)) AS first FROM histories
),
answers AS (
  SELECT *, first >> 5 AS t0,
    list_min(list_filter(codes, lambda c: (c & 31) >= 8 AND c > first AND c >> 5 <= (first >> 5) + 1800000)) AS answer
  FROM exposures WHERE first IS NOT NULL
),
journeys AS (
  SELECT *, coalesce(answer >> 5, t0 + 1800000) AS tr, (answer >> 5) - t0 AS answer_time,
    strftime(make_timestamp(t0 * 1000), '%G-W%V') AS week,
    CASE WHEN t0 + 1800000 > as_of THEN 'pending'
         WHEN answer IS NULL THEN 'dropped_off'
         WHEN answer & 31 >= 20 OR answer & 31 < 12 THEN 'granted'
         WHEN answer & 31 >= 16 THEN 'skipped'
         WHEN answer & 3 = 1 THEN 'restricted'
         ELSE 'denied' END AS outcome
  FROM answers, (SELECT max(epoch_ms(timestamp)) AS as_of FROM events)
)
