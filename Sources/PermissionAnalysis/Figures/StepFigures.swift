// Where people stop: the explanation, the system's prompt, and explained against cold.

/// The steps of the journeys of a row's base.
public struct StepFigures: Sendable {
  /// What followed the explanation that journeys begin with.
  public struct Explanation: Sendable {
    public package(set) var shown, continued, skipped, answered, dropped: Int
  }

  /// What became of those who saw the system's prompt.
  public struct Prompt: Sendable {
    public let shown, granted, denied, skipped, dropped: Int
  }

  /// Journeys that begin in one way, and those of them that ended with a grant.
  public struct Beginning: Sendable {
    public let base, granted: Int
  }

  public package(set) var explanation: Explanation
  public let prompt: Prompt
  /// Of journeys that begin with an explanation, and with the system's prompt.
  public let explained, cold: Beginning
  /// Of the two grant rates, explained minus cold: an association unless chance decided.
  public let explainedAgainstCold: Estimate?

  init(_ sums: RowSums, missing: [Evidence]) {
    func explained(_ outcome: Outcome) -> Int { sums[.explainedGranted, outcome] }
    func continued(_ outcome: Outcome) -> Int { sums[.continuedGranted, outcome] }
    func prompted(_ outcome: Outcome) -> Int { sums[.promptedGranted, outcome] }
    func base(_ part: (Outcome) -> Int) -> Int { Outcome.base.reduce(0) { $0 + part($1) } }
    explanation = Explanation(
      shown: base(explained), continued: base(continued), skipped: explained(.skipped) - continued(.skipped),
      answered: explained(.granted) - continued(.granted) + explained(.denied) - continued(.denied),
      dropped: explained(.droppedOff) - continued(.droppedOff))
    prompt = Prompt(
      shown: base(prompted), granted: prompted(.granted), denied: prompted(.denied), skipped: prompted(.skipped),
      dropped: prompted(.droppedOff))
    self.explained = Beginning(base: base(explained), granted: explained(.granted))
    let all = Beginning(
      base: base { sums[.granted, $0] }, granted: sums[.granted])
    cold = Beginning(base: all.base - self.explained.base, granted: all.granted - self.explained.granted)
    explainedAgainstCold =
      missing.contains(.answers)
      ? nil : .difference((self.explained.granted, self.explained.base), (cold.granted, cold.base))
  }

  static let figures: [FigureNode<ReportRow>] = [
    .knowable(
      "steps", isKnown: { !$0.noEvidence.contains(.screens) },
      [
        .knowable(
          "explanation", isKnown: { !$0.noEvidence.contains(.explanation) },
          [
            .count("shown", "journeys that begin with an explanation") { $0.steps.explanation.shown },
            .count("continued", "a prompt followed", over: { $0.steps.explanation.shown }) {
              $0.steps.explanation.continued
            },
            .count("skipped", "skipped, with no prompt", over: { $0.steps.explanation.shown }) {
              $0.steps.explanation.skipped
            },
            .count("answered", "granted or denied, with no prompt", over: { $0.steps.explanation.shown }) {
              $0.steps.explanation.answered
            },
            .count("dropped", "neither prompt nor answer", over: { $0.steps.explanation.shown }) {
              $0.steps.explanation.dropped
            },
          ]),
        .group(
          "prompt",
          [
            .count("shown", "journeys with a prompt") { $0.steps.prompt.shown },
            .count("granted", "prompt, then granted", over: { $0.steps.prompt.shown }) {
              $0.noEvidence.known(.answers, $0.steps.prompt.granted)
            },
            .count("denied", "prompt, then denied", over: { $0.steps.prompt.shown }) {
              $0.noEvidence.known(.answers, $0.steps.prompt.denied)
            },
            .count("skipped", "prompt, then skipped", over: { $0.steps.prompt.shown }) { $0.steps.prompt.skipped },
            .count("dropped", "prompt, then no answer", over: { $0.steps.prompt.shown }) {
              $0.noEvidence.known(.answers, $0.steps.prompt.dropped)
            },
          ]),
      ]),
    .knowable(
      "explained_against_cold",
      isKnown: { !$0.noEvidence.contains(.explanation) && !$0.noEvidence.contains(.screens) },
      [
        side("explained") { $0.explained }, side("cold") { $0.cold },
        .estimate(
          "difference", "grant rate explained minus cold", .difference,
          over: { $0.steps.explained.base + $0.steps.cold.base }
        ) { $0.steps.explainedAgainstCold },
      ]),
  ]

  private static func side(
    _ name: StaticString, _ side: @escaping @Sendable (StepFigures) -> Beginning
  ) -> FigureNode<ReportRow> {
    .group(
      name,
      [
        .count("base", "journeys of the base that begin so") { side($0.steps).base },
        .count("granted", "granted of these", over: { side($0.steps).base }) {
          $0.noEvidence.known(.answers, side($0.steps).granted)
        },
      ])
  }
}
