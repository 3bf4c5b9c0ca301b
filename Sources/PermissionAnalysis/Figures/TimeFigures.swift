// How long people take: to the answer, and on each step.

/// Times in milliseconds; mean exact, quantiles to within 0.1 %.
public struct TimeSummary: Sendable {
  public let count: Int
  /// nil without any.
  public package(set) var mean, p50, p90, p99: Double?
}

/// The times of a row. Only those who answered have a time, so they describe.
public struct TimeFigures: Sendable {
  public package(set) var toAnswer, explanation, prompt: TimeSummary
  /// To the answer, by answer: granted, denied, skipped.
  public let byOutcome: [TimeSummary]
  /// The same, as they are spread; empty if they were not asked for.
  public let distributions: [TimeDistribution]

  /// - Parameters:
  ///   - times: of the journeys that `sums` are of.
  ///   - isForCharts: whether distributions are wanted.
  init(_ sums: GroupSums, _ times: RowTimes, isForCharts: Bool) {
    func summary(_ series: TimeSeries) -> TimeSummary { TimeSummary(sums, times, [series]) }
    toAnswer = TimeSummary(sums, times, RowTimes.answers)
    explanation = summary(.explanation)
    prompt = summary(.prompt)
    byOutcome = RowTimes.answers.map(summary)
    distributions = isForCharts ? RowTimes.answers.map { TimeDistribution(times[$0]) } : []
  }

  static let figures: [FigureNode<ReportRow>] = [
    .times("time_to_answer_ms", "from the first screen to the answer") { $0.times.toAnswer },
    .times("explanation_time_ms", "from the explanation to the prompt, or to the answer") { $0.times.explanation },
    .times("prompt_time_ms", "from the prompt to the answer") { $0.times.prompt },
    .group(
      "time_by_outcome_ms",
      [
        .times("granted", "to the answer granted") { $0.times.byOutcome[0] },
        .times("denied", "to the answer denied") { $0.times.byOutcome[1] },
        .times("skipped", "to the answer skipped") { $0.times.byOutcome[2] },
      ]),
  ]
}

extension TimeSummary {
  init(_ sums: GroupSums, _ times: RowTimes, _ series: [TimeSeries]) {
    count = series.reduce(0) { $0 + sums[place: Counter.timeCount + $1.rawValue] }
    guard count > 0 else {
      (mean, p50, p90, p99) = (nil, nil, nil, nil)
      return
    }
    mean = Double(series.reduce(0) { $0 + sums.sum(place: JourneySum.times + $1.rawValue) }) / Double(count)
    let quantiles = TimeHistogram.quantiles([50, 90, 99], of: count, in: series.map { times[$0] })
    (p50, p90, p99) = (quantiles[0], quantiles[1], quantiles[2])
  }
}
