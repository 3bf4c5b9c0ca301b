, figures AS MATERIALIZED (
  SELECT *, t0 // 86400000 AS day, first & 31 < 4 AS explained,
    outcome NOT IN ('pending', 'restricted') AS based,
    t0 + 2419200000 <= as_of AND outcome NOT IN ('pending', 'restricted') AS followed,
    tr + 2419200000 <= as_of AS returnable,
    first & 31 < 4 AND len(list_filter(codes, lambda c: (c & 31) >= 4 AND (c & 31) < 8 AND c > first AND c >> 5 <= tr)) > 0
      AS continued,
    len(list_filter(codes, lambda c: ((c & 31) >= 20 OR (c & 31) >= 8 AND (c & 31) < 12)
                                     AND c >> 5 >= t0 AND c >> 5 <= t0 + 2419200000)) > 0 AS granted_in_time,
    len(list_filter(codes, lambda c: ((c & 31) >= 20 OR (c & 31) >= 8 AND (c & 31) < 12)
                                     AND c >> 5 > tr AND c >> 5 <= tr + 2419200000)) > 0 AS enabled
  FROM journeys
),
back AS (
  SELECT DISTINCT f.user_id, f.permission, TRUE AS retained
  FROM figures f JOIN events e ON e.user_id = f.user_id AND epoch_ms(e.timestamp) // 86400000 = f.day + 7
  WHERE e.event IN ('feature_used', 'app_active') AND based AND (day + 8) * 86400000 <= as_of
)
SELECT permission, week,
  count(*) AS exposed,
  count(*) FILTER (outcome = 'pending') AS pending,
  count(*) FILTER (outcome = 'restricted') AS restricted,
  count(*) FILTER (outcome = 'granted') AS granted,
  count(*) FILTER (outcome = 'granted' AND answer & 3 = 2) AS partial,
  count(*) FILTER (outcome = 'denied') AS denied,
  count(*) FILTER (outcome = 'skipped') AS skipped,
  count(*) FILTER (outcome = 'dropped_off') AS dropped_off,
  count(*) FILTER (followed) AS follow_up_eligible,
  count(*) FILTER (followed AND granted_in_time) AS follow_up_granted,
  count(*) FILTER (based AND explained) AS explanation_shown,
  count(*) FILTER (based AND continued) AS explanation_continued,
  count(*) FILTER (explained AND NOT continued AND outcome = 'skipped') AS explanation_skipped,
  count(*) FILTER (explained AND NOT continued AND outcome IN ('granted', 'denied')) AS explanation_answered,
  count(*) FILTER (explained AND NOT continued AND outcome = 'dropped_off') AS explanation_dropped,
  count(*) FILTER (based AND (NOT explained OR continued)) AS prompt_shown,
  count(*) FILTER ((NOT explained OR continued) AND outcome = 'granted') AS prompt_granted,
  count(*) FILTER ((NOT explained OR continued) AND outcome = 'denied') AS prompt_denied,
  count(*) FILTER ((NOT explained OR continued) AND outcome = 'skipped') AS prompt_skipped,
  count(*) FILTER ((NOT explained OR continued) AND outcome = 'dropped_off') AS prompt_dropped,
  count(*) FILTER (explained AND outcome = 'granted') AS explained_granted,
  count(*) FILTER (based AND NOT explained) AS cold_base,
  count(*) FILTER (NOT explained AND outcome = 'granted') AS cold_granted,
  count(answer_time) FILTER (based) AS answer_count,
  avg(answer_time) FILTER (based) AS answer_mean,
  quantile_disc(answer_time, 0.5) FILTER (based) AS answer_p50,
  count(*) FILTER (outcome = 'denied' AND returnable) AS denied_eligible,
  count(*) FILTER (outcome = 'denied' AND returnable AND enabled) AS denied_enabled,
  count(*) FILTER (outcome = 'skipped' AND returnable) AS skipped_eligible,
  count(*) FILTER (outcome = 'skipped' AND returnable AND enabled) AS skipped_enabled,
  count(*) FILTER (outcome = 'dropped_off' AND returnable) AS dropped_off_eligible,
  count(*) FILTER (outcome = 'dropped_off' AND returnable AND enabled) AS dropped_off_enabled,
  count(*) FILTER (outcome = 'granted' AND (day + 8) * 86400000 <= as_of) AS granted_day_7,
  count(*) FILTER (outcome = 'granted' AND retained) AS granted_retained,
  count(*) FILTER (outcome = 'denied' AND (day + 8) * 86400000 <= as_of) AS denied_day_7,
  count(*) FILTER (outcome = 'denied' AND retained) AS denied_retained,
  count(*) FILTER (outcome = 'skipped' AND (day + 8) * 86400000 <= as_of) AS skipped_day_7,
  count(*) FILTER (outcome = 'skipped' AND retained) AS skipped_retained,
  count(*) FILTER (outcome = 'dropped_off' AND (day + 8) * 86400000 <= as_of) AS dropped_off_day_7,
  count(*) FILTER (outcome = 'dropped_off' AND retained) AS dropped_off_retained
FROM figures LEFT JOIN back USING (user_id, permission)
GROUP BY permission, week
