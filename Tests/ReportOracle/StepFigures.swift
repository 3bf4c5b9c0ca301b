// Figures 2 and 3: the steps of a journey, and how long they took.

/// "Journeys that begin with an explanation: shown = continued + skipped + answered + dropped. Prompts: shown =
/// granted + denied + skipped + dropped."
func steps(_ base: [OracleJourney]) -> OracleJSON {
  let explained = base.filter(\.beginsWithExplanation)
  // A prompt followed, up to the answer or t0 + W.
  let continued = explained.filter { $0.continuedPrompt != nil }
  let stopped = explained.filter { $0.continuedPrompt == nil }
  let prompted = base.filter { $0.firstPrompt != nil }
  return [
    "explanation": [
      "shown": .int(explained.count), "continued": .int(continued.count),
      "skipped": .int(stopped.count(of: .skipped)),
      // "granted or denied, no prompt recorded".
      "answered": .int(stopped.count(of: .granted) + stopped.count(of: .denied)),
      "dropped": .int(stopped.count(of: .droppedOff)),
    ],
    "prompt": [
      "shown": .int(prompted.count), "granted": .int(prompted.count(of: .granted)),
      "denied": .int(prompted.count(of: .denied)), "skipped": .int(prompted.count(of: .skipped)),
      "dropped": .int(prompted.count(of: .droppedOff)),
    ],
  ]
}

/// "Grant rates of journeys that begin with an explanation and with the system's prompt, and the difference."
func explainedAgainstCold(_ base: [OracleJourney]) -> OracleJSON {
  let explained = base.filter(\.beginsWithExplanation)
  let cold = base.filter(\.beginsWithPrompt)
  let explainedGrants = explained.count(of: .granted)
  let coldGrants = cold.count(of: .granted)
  let difference = rateDifference(explainedGrants, of: explained.count, minus: coldGrants, of: cold.count)
  return [
    "explained": ["base": .int(explained.count), "granted": .int(explainedGrants)],
    "cold": ["base": .int(cold.count), "granted": .int(coldGrants)],
    "difference": OracleEstimate.json(difference),
  ]
}

/// The four time objects of a row.
func timeFigures(_ all: [OracleJourney]) -> [OracleMember] {
  // Answers by status "are in no figure of 3", answers alone are "without times".
  let base = all.filter(\.isTimed)
  // "t1 − t0 of answered journeys, together and by outcome."
  func answerTimes(_ journeys: [OracleJourney]) -> [Int] {
    journeys.compactMap { journey in journey.answer.map { $0.timestamp - journey.t0 } }
  }
  // "t0 of journeys that begin with an explanation to their first prompt, answered or not; else to the answer."
  let explanationTimes = base.filter(\.beginsWithExplanation).compactMap { journey in
    (journey.continuedPrompt ?? journey.answer).map { $0.timestamp - journey.t0 }
  }
  // "First prompt to answer."
  let promptTimes = base.compactMap { journey -> Int? in
    guard let prompt = journey.firstPrompt, let answer = journey.answer else { return nil }
    return answer.timestamp - prompt.timestamp
  }
  return [
    OracleMember(key: "time_to_answer_ms", value: timeSummary(answerTimes(base))),
    OracleMember(key: "explanation_time_ms", value: timeSummary(explanationTimes)),
    OracleMember(key: "prompt_time_ms", value: timeSummary(promptTimes)),
    OracleMember(
      key: "time_by_outcome_ms",
      value: [
        "granted": timeSummary(answerTimes(base.of(.granted))),
        "denied": timeSummary(answerTimes(base.of(.denied))),
        "skipped": timeSummary(answerTimes(base.of(.skipped))),
      ]),
  ]
}

/// The contract's T; mean and quantiles of no values are null.
private func timeSummary(_ times: [Int]) -> OracleJSON {
  [
    "count": .int(times.count), "mean": .real(mean(times.map(Double.init))),
    "p50": .whole(quantile(times, percent: 50)),
    "p90": .whole(quantile(times, percent: 90)), "p99": .whole(quantile(times, percent: 99)),
  ]
}

/// "The smallest value with at least that share at or below it."
func quantile(_ values: [Int], percent: Int) -> Int? {
  let sorted = values.sorted()
  let rank = sorted.indices.first { 100 * ($0 + 1) >= percent * sorted.count }
  return rank.map { sorted[$0] }
}
