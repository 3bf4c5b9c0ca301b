-- Each journey in one row, from one pass over the permission events: a journey's events as an array of numbers (time, rank
-- of the kind, what the status means), sorted, gone through by array functions. ClickHouse leaves out what the query behind
-- it does not use.
WITH
  (SELECT toUnixTimestamp64Milli(max(timestamp)) FROM events) AS as_of,
  1800000 AS response_window, 2419200000 AS follow_up, 86400000 AS one_day,
codes AS (
  SELECT user_id, permission, variant,
    toUnixTimestamp64Milli(timestamp) * 32
      + transform(event, ['explanation_shown', 'prompt_shown', 'granted', 'denied', 'skipped', 're_enabled'],
                  [0, 4, 8, 12, 16, 20], 0)
      + multiIf(status = 'restricted', 1,
                status IN ('limited', 'provisional', 'ephemeral')
                  OR status = 'write_only' AND permission != 'calendars_write_only'
                  OR status = 'when_in_use' AND permission = 'location_always', 2, 0) AS code
  FROM events
  WHERE event IN ('explanation_shown', 'prompt_shown', 'granted', 'denied', 'skipped', 're_enabled') AND {permissions}
),
histories AS (
  SELECT user_id, permission, arraySort(groupArray(code)) AS codes,
    argMinIf(variant, code, bitAnd(code, 31) < 8) AS exposed_to
  FROM codes GROUP BY user_id, permission
),
answers AS (
  SELECT user_id, permission, codes, exposed_to,
    arrayFirst(c -> bitAnd(c, 31) < 8, codes) AS first,
    bitShiftRight(first, 5) AS t0,
    arrayFirst(c -> bitAnd(c, 31) >= 8 AND c > first AND bitShiftRight(c, 5) <= t0 + response_window, codes) AS answer
  FROM histories WHERE first > 0
),
journeys AS (
  SELECT *, if(answer > 0, bitShiftRight(answer, 5), t0 + response_window) AS tr,
    formatDateTime(fromUnixTimestamp64Milli(t0, 'UTC'), '%G-W%V', 'UTC') AS week,
    multiIf(t0 + response_window > as_of, 'pending',
            answer = 0, 'dropped_off',
            bitAnd(answer, 31) >= 20 OR bitAnd(answer, 31) < 12, 'granted',
            bitAnd(answer, 31) >= 16, 'skipped',
            bitAnd(answer, 3) = 1, 'restricted', 'denied') AS outcome
  FROM answers
)
