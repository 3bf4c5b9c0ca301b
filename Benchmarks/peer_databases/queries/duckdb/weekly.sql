SELECT permission, week, count(*) AS exposed,
  count(*) FILTER (outcome = 'granted') AS granted,
  count(*) FILTER (outcome = 'denied') AS denied,
  count(*) FILTER (outcome = 'skipped') AS skipped,
  count(*) FILTER (outcome = 'dropped_off') AS dropped_off
FROM journeys GROUP BY permission, week
