// How long people take, to the answer and on each step, and how their times are spread.

import PermissionEvents

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
  init(_ sums: RowSums, _ times: RowTimes, missing: [Evidence], isForCharts: Bool) {
    let isKnown = missing.hasTimes
    func summary(_ series: [TimeSeries], _ isKnown: Bool) -> TimeSummary {
      isKnown ? TimeSummary(sums, times, series) : TimeSummary(count: 0)
    }
    toAnswer = summary(TimeSeries.answers, isKnown)
    explanation = summary([.explanation], !missing.contains(.screens))
    prompt = summary([.prompt], isKnown)
    byOutcome = TimeSeries.answers.map { summary([$0], isKnown) }
    distributions = isForCharts && isKnown ? TimeSeries.answers.map { TimeDistribution(times[$0]) } : []
  }

  static let figures: [FigureNode<ReportRow>] = [
    .times("time_to_answer_ms", "from the first screen to the answer") {
      $0.noEvidence.hasTimes ? $0.times.toAnswer : nil
    },
    .times("explanation_time_ms", "from the explanation to the prompt, or to the answer") {
      $0.noEvidence.contains(.screens) ? nil : $0.times.explanation
    },
    .times("prompt_time_ms", "from the prompt to the answer") { $0.noEvidence.hasTimes ? $0.times.prompt : nil },
    .knowable(
      "time_by_outcome_ms", isKnown: { $0.noEvidence.hasTimes },
      [
        .times("granted", "to the answer granted") { $0.times.byOutcome[0] },
        .times("denied", "to the answer denied") { $0.times.byOutcome[1] },
        .times("skipped", "to the answer skipped") { $0.times.byOutcome[2] },
      ]),
  ]
}

extension TimeSummary {
  init(_ sums: RowSums, _ times: RowTimes, _ series: [TimeSeries]) {
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

/// Counts of times in bins whose edges grow by the square root of two, so that a second and a minute have their room.
public struct TimeDistribution: Sendable, Hashable {
  public struct Bin: Sendable, Hashable {
    /// The bin begins at 1 s × 2^(half/2) and ends half an octave higher.
    public internal(set) var half: Int
    public internal(set) var count: Int

    /// In milliseconds.
    public var start: Double { TimeDistribution.edge(half) }
    public var end: Double { TimeDistribution.edge(half + 1) }
  }

  /// Ascending, without those that are empty.
  public private(set) var bins: [Bin]

  /// The lowest bin also holds everything shorter: nobody reads a screen in 1/16 s.
  public static let lowest = -8

  /// The start of a bin in milliseconds.
  public static func edge(_ half: Int) -> Double {
    var edge = half.isMultiple(of: 2) ? 1000 : 1000 * 2.0.squareRoot()
    let octaves = half >> 1
    for _ in 0..<abs(octaves) { edge = octaves < 0 ? edge / 2 : edge * 2 }
    return edge
  }

  init(_ histogram: TimeHistogram) {
    bins = []
    var half = Self.lowest
    var end = Self.edge(half + 1)
    for (bucket, count) in histogram.bins {
      let middle = TimeBucket.middle(bucket)
      while middle >= end {
        half += 1
        end = Self.edge(half + 1)
      }
      if let last = bins.indices.last, bins[last].half == half {
        bins[last].count += Int(count)
      } else {
        bins.append(Bin(half: half, count: Int(count)))
      }
    }
  }
}
