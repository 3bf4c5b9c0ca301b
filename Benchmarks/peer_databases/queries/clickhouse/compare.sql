SELECT exposed_to, count() AS exposed, countIf(outcome = 'pending') AS pending, countIf(outcome = 'restricted') AS restricted,
  countIf(outcome = 'granted') AS granted, countIf(outcome = 'denied') AS denied, countIf(outcome = 'skipped') AS skipped,
  countIf(outcome = 'dropped_off') AS dropped_off
FROM journeys WHERE exposed_to IN ('A', 'B') GROUP BY exposed_to
