SELECT permission, week, count() AS exposed, countIf(outcome = 'granted') AS granted, countIf(outcome = 'denied') AS denied,
  countIf(outcome = 'skipped') AS skipped, countIf(outcome = 'dropped_off') AS dropped_off
FROM journeys GROUP BY permission, week
