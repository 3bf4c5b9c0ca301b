SELECT variant, count(*) AS exposed,
  count(*) FILTER (outcome = 'pending') AS pending,
  count(*) FILTER (outcome = 'restricted') AS restricted,
  count(*) FILTER (outcome = 'granted') AS granted,
  count(*) FILTER (outcome = 'denied') AS denied,
  count(*) FILTER (outcome = 'skipped') AS skipped,
  count(*) FILTER (outcome = 'dropped_off') AS dropped_off
FROM journeys WHERE variant IN ('A', 'B') GROUP BY variant
