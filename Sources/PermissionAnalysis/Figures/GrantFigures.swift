// The rates of the first asking, and what follows a grant.

import PermissionEvents
import Statistics

/// The outcomes of the journeys of a row. Every figure but `exposed`, `pending` and `restricted` is over the base.
public struct GrantFigures: Sendable {
  public package(set) var exposed, pending, restricted, base: Int
  public let granted, partial, denied, skipped, droppedOff: Int
  /// Answers in the base that are known only from a status check.
  public let answeredByStatus: Int
  public let grantRate, denyRate, skipRate, dropOffRate: Estimate?
  /// Granted of granted and denied: users that the variant has selected, so a description.
  public let promptGrantRate: Estimate?
  /// On by the end of the follow-up, however it was enabled.
  public let grantedByFollowUp: Share
  /// On in part, of `grantedByFollowUp.count`.
  public let partialByFollowUp: Int
  /// Granted at the first asking, of `grantedByFollowUp.eligible`: the grant rate of the same users.
  public let grantedFirst: Share

  /// - Parameter missing: without evidence of answers no rate is known, and without screens no drop-offs are known.
  init(_ sums: RowSums, missing: [Evidence]) {
    func outcome(_ outcome: Outcome) -> Int { sums[.granted, outcome] }
    exposed = sums[Counter.exposed]
    pending = sums[Counter.pending]
    restricted = sums[Counter.restricted]
    base = exposed - pending - restricted
    granted = outcome(.granted)
    partial = sums[Counter.partial]
    denied = outcome(.denied)
    skipped = outcome(.skipped)
    droppedOff = outcome(.droppedOff)
    answeredByStatus = sums[Counter.answeredByStatus]
    grantRate = missing.known(.answers, .rate(granted, base))
    denyRate = missing.known(.answers, .rate(denied, base))
    skipRate = missing.known(.answers, .rate(skipped, base))
    dropOffRate = missing.hasDropOff ? .rate(droppedOff, base) : nil
    promptGrantRate = missing.known(.answers, .rate(granted, granted + denied))
    grantedByFollowUp = Share(sums[Counter.followUpEligible], missing.known(.answers, sums[Counter.followUpGranted]))
    partialByFollowUp = sums[Counter.followUpPartial]
    grantedFirst = Share(
      sums[Counter.followUpEligible], missing.known(.answers, sums[Counter.followUpGrantedFirst]))
  }

  static let figures: [FigureNode<ReportRow>] = [
    .count("exposed", "journeys with a first screen") { $0.grants.exposed },
    .count("pending", "response window not over at as_of", over: { $0.grants.exposed }) { $0.grants.pending },
    .count("restricted", "denied, the user had no choice", over: { $0.grants.exposed }) { $0.grants.restricted },
    .count("base", "exposed minus pending and restricted", over: { $0.grants.exposed }) { $0.grants.base },
    .count("granted", "first answer granted", over: { $0.grants.base }) { $0.answered($0.grants.granted) },
    .count("partial", "granted in part", over: { $0.grants.granted }) { $0.answered($0.grants.partial) },
    .count("denied", "first answer denied", over: { $0.grants.base }) { $0.answered($0.grants.denied) },
    .count("skipped", "first answer skipped", over: { $0.grants.base }) { $0.grants.skipped },
    .count("dropped_off", "no answer in time", over: { $0.grants.base }) {
      $0.noEvidence.hasDropOff ? $0.grants.droppedOff : nil
    },
    .estimate("grant_rate", "granted of the base", over: { $0.grants.base }) { $0.grants.grantRate },
    .estimate("deny_rate", "denied of the base", over: { $0.grants.base }) { $0.grants.denyRate },
    .estimate("skip_rate", "skipped of the base", over: { $0.grants.base }) { $0.grants.skipRate },
    .estimate("drop_off_rate", "dropped off of the base", over: { $0.grants.base }) { $0.grants.dropOffRate },
    .estimate(
      "prompt_grant_rate", "granted of granted and denied", over: { $0.grants.granted + $0.grants.denied }
    ) { $0.grants.promptGrantRate },
    .group(
      "granted_by_follow_up",
      FigureNode.parts(
        ("eligible", "followed to the end"), ("granted", "on by the end of the follow-up, however it was enabled"),
        rate: ("rate", "on, of the eligible")
      ) { $0.grants.grantedByFollowUp } + [
        .count("partial", "on in part", over: { $0.grants.grantedByFollowUp.count ?? 0 }) {
          $0.answered($0.grants.partialByFollowUp)
        },
        .count("granted_first", "first answer granted, of the eligible", over: { $0.grants.grantedFirst.eligible }) {
          $0.grants.grantedFirst.count
        },
      ]),
  ]

  /// After all others, where tables expect it.
  static let laterFigures: [FigureNode<ReportRow>] = [
    .count("answered_by_status", "an answer known only from a status check", over: { $0.grants.base }) {
      $0.grants.answeredByStatus
    }
  ]
}

/// Of the granted journeys of a row that were followed long enough.
public struct AfterGrantFigures: Sendable {
  public let revoked: Share
  /// Of those whose grant was partial.
  public let upgraded: Share

  init(_ sums: RowSums, missing: [Evidence]) {
    revoked = Share(sums[Counter.afterGrantEligible], missing.known(.revoked, sums[Counter.revoked]))
    upgraded = Share(sums[Counter.partialEligible], missing.known(.revoked, sums[Counter.upgraded]))
  }

  static let figures: [FigureNode<ReportRow>] = [
    .group(
      "after_grant",
      FigureNode.parts(
        ("eligible", "granted, followed to the end"), ("revoked", "revoked in the follow-up"),
        rate: ("revoked_rate", "revoked of the eligible")
      ) { $0.afterGrant.revoked }
        + FigureNode.parts(
          ("partial_eligible", "granted in part, followed to the end"), ("upgraded", "became full in the follow-up"),
          rate: ("upgraded_rate", "upgraded of the partial eligible")
        ) { $0.afterGrant.upgraded })
  ]
}

// MARK: Where people stop: the explanation, the system's prompt, and explained against cold

/// The steps of the journeys of a row's base.
public struct StepFigures: Sendable {
  /// The next step of journeys that begin with an explanation.
  public struct Explanation: Sendable {
    public package(set) var shown, continued, skipped, answered, dropped: Int
  }

  /// The outcomes of users who saw the system's prompt.
  public struct Prompt: Sendable {
    public let shown, granted, denied, skipped, dropped: Int
  }

  /// Journeys that begin in one way, and the ones that ended with a grant.
  public struct Beginning: Sendable {
    public let base, granted: Int
  }

  public package(set) var explanation: Explanation
  public let prompt: Prompt
  /// Of journeys that begin with an explanation, and with the system's prompt.
  public let explained, cold: Beginning
  /// Of the two grant rates, explained minus cold: an association unless chance decided.
  public let explainedAgainstCold: Estimate?
  private let missing: [Evidence]

  /// What the log holds evidence of; nil of the rest.
  package var knownExplanation: Explanation? {
    missing.contains(.explanation) ? nil : knownPrompt.map { _ in explanation }
  }
  package var knownPrompt: Prompt? { missing.contains(.screens) ? nil : prompt }
  package var knownBeginnings: (explained: Beginning, cold: Beginning)? {
    knownExplanation.map { _ in (explained, cold) }
  }
  package func answered(_ count: Int) -> Int? { missing.known(.answers, count) }

  init(_ sums: RowSums, missing: [Evidence]) {
    self.missing = missing
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
    let all = Beginning(base: base { sums[.granted, $0] }, granted: sums[.granted])
    cold = Beginning(base: all.base - self.explained.base, granted: all.granted - self.explained.granted)
    explainedAgainstCold =
      missing.contains(.answers)
      ? nil : .difference((self.explained.granted, self.explained.base), (cold.granted, cold.base))
  }

  private static let explained: FigureNode<ReportRow>.Count = { $0.steps.explanation.shown }
  private static let prompted: FigureNode<ReportRow>.Count = { $0.steps.prompt.shown }

  static let figures: [FigureNode<ReportRow>] = [
    .knowable(
      "steps", isKnown: { $0.steps.knownPrompt != nil },
      [
        .knowable(
          "explanation", isKnown: { $0.steps.knownExplanation != nil },
          [
            .count("shown", "journeys that begin with an explanation") { $0.steps.explanation.shown },
            .count("continued", "a prompt followed", over: explained) { $0.steps.explanation.continued },
            .count("skipped", "skipped, with no prompt", over: explained) { $0.steps.explanation.skipped },
            .count("answered", "granted or denied, with no prompt", over: explained) { $0.steps.explanation.answered },
            .count("dropped", "neither prompt nor answer", over: explained) { $0.steps.explanation.dropped },
          ]),
        .group(
          "prompt",
          [
            .count("shown", "journeys with a prompt") { $0.steps.prompt.shown },
            .count("granted", "prompt, then granted", over: prompted) { $0.answered($0.steps.prompt.granted) },
            .count("denied", "prompt, then denied", over: prompted) { $0.answered($0.steps.prompt.denied) },
            .count("skipped", "prompt, then skipped", over: prompted) { $0.steps.prompt.skipped },
            .count("dropped", "prompt, then no answer", over: prompted) { $0.answered($0.steps.prompt.dropped) },
          ]),
      ]),
    .knowable(
      "explained_against_cold",
      isKnown: { $0.steps.knownBeginnings != nil },
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
        .count("granted", "granted of these", over: { side($0.steps).base }) { $0.answered(side($0.steps).granted) },
      ])
  }
}

/// Journeys of one outcome that ended without a grant, and how many were enabled later.
public struct EnabledLater: Sendable {
  /// A point of Kaplan and Meier's curve.
  public struct ByDay: Sendable {
    /// The number of days since the answer.
    public let day: Int
    /// nil without evidence, as the share is.
    public let atRisk: Int?
    /// The share enabled, with Greenwood's 95 % interval on the log–log scale. Nil if no users are at risk.
    public let value, low, high: Double?

    public var estimate: Estimate? { value.map { Estimate($0, low: low, high: high) } }
  }

  public let share: Share
  /// Enabled in part, of `share.count`; nil without evidence.
  public let partial: Int?
  /// By the days that are reported: 1, 7, 28.
  public let kaplanMeier: [ByDay]
  /// The same by day 1, 2, … 28, if requested; else empty.
  public let curve: [ByDay]
}

/// Later grants of users who did not grant: a description, because who denies depends on the variant.
public struct ReturnFigures: Sendable {
  /// After a denial, a skip, a drop-off.
  public let enabledLater: [EnabledLater]

  /// - Parameter missing: without evidence, later grants after a denial are unknown. After a skip or no answer the system
  ///   still asks, and its answer is evidence.
  init(_ sums: RowSums, hasCurve: Bool, missing: [Evidence]) {
    enabledLater = (0..<3).map { number in
      EnabledLater(
        sums, returning: number, hasCurve: hasCurve,
        isKnown: !missing.contains(number == 0 ? .enabledLater : .answers) && !missing.contains(.answers)
          && (number < 2 || missing.hasDropOff))
    }
  }

  static let figures: [FigureNode<ReportRow>] = [
    .group("enabled_later", [after("denied", 0), after("skipped", 1), after("dropped_off", 2)])
  ]

  private static func after(_ name: StaticString, _ place: Int) -> FigureNode<ReportRow> {
    @Sendable func later(_ row: ReportRow) -> EnabledLater { row.returns.enabledLater[place] }
    return .group(
      name,
      FigureNode.parts(
        ("eligible", "followed to the end"), ("enabled", "enabled in the follow-up"),
        rate: ("rate", "enabled of the eligible")
      ) { later($0).share } + [
        .count("partial", "enabled in part", over: { later($0).share.count ?? 0 }) { later($0).partial },
        .figure(
          Figure(
            "kaplan_meier", "share enabled within 1, 7 and 28 days", .share, over: nil,
            .curve(days: EnabledLater.days) { later($0).kaplanMeier })),
      ])
  }
}

extension EnabledLater {
  static let days = [1, 7, 28]

  fileprivate init(_ sums: RowSums, returning number: Int, hasCurve: Bool, isKnown: Bool) {
    let place = Counter.returning + number * Counter.returningStride
    share = Share(sums[place: place], isKnown ? sums[place: place + 1] : nil)
    partial = isKnown ? sums[place: place + 2] : nil
    guard isKnown else {
      kaplanMeier = Self.days.map { ByDay(day: $0, atRisk: nil, value: nil, low: nil, high: nil) }
      curve = []
      return
    }
    let base = Counter.survival + number * Survival.stride
    let days = Survival.days
    let steps = KaplanMeier.steps(
      events: (0..<days).map { sums[place: base + $0] }, censored: (0..<days).map { sums[place: base + days + $0] },
      beyond: sums[place: base + 2 * days], intervalDays: hasCurve ? nil : Self.days.map { $0 - 1 })
    // Within the first n days 0 ... n - 1: the step of the last of them.
    func point(_ day: Int) -> ByDay {
      let step = steps[day - 1]
      return ByDay(
        day: day, atRisk: step.atRisk, value: step.eventProbability, low: step.interval?.low,
        high: step.interval?.high)
    }
    kaplanMeier = Self.days.map(point)
    curve = hasCurve ? (1...days).map(point) : []
  }
}

// MARK: Prompts that point to Settings after a denial, and whether people follow them

/// Of the denied journeys of a row. Observed: nobody decided by chance who is prompted.
public struct SettingsFigures: Sendable {
  /// The daily trials of the first 28 days after a denial: users who were prompted on a day against users who opened
  /// the app on the same day, were off, and had not been prompted. A user may be among the second on several days.
  public struct Trials: Sendable {
    public struct Group: Sendable {
      public let n, enabled: Int
    }

    /// Whole days after a denial, from 0.
    public static let days = SettingsTrials.days

    public let prompted, notPrompted: Group
    /// Of those not prompted, who were prompted within the settings window. They are not moved, so the ratio is nearer
    /// to 1 than the effect of a prompt.
    public let promptedLater: Int
    /// How many times as often the prompted enabled. Nil if it is not known of those who were not prompted.
    public let riskRatio: Estimate?
  }

  public let shown, eligible: Int
  /// nil without evidence.
  public let opened, enabled: Int?
  /// Enabled in part, of `enabled`.
  public let partial: Int?
  /// nil without evidence.
  public let trials: Trials?

  init(_ sums: RowSums, missing: [Evidence]) {
    shown = sums[Counter.settingsShown]
    opened = missing.known(.settingsOpened, sums[Counter.settingsOpened])
    eligible = sums[Counter.settingsEligible]
    enabled = missing.known(.enabledLater, sums[Counter.settingsEnabled])
    partial = missing.known(.enabledLater, sums[Counter.settingsPartial])
    trials = missing.contains(.activity) ? nil : missing.known(.enabledLater, Trials(sums))
  }

  static let figures: [FigureNode<ReportRow>] = [
    .group(
      "settings_prompt",
      [
        .count("shown", "denied, then a Settings prompt", over: { $0.grants.denied }) { $0.settings.shown },
        .count("opened", "Settings opened soon after", over: { $0.settings.shown }) { $0.settings.opened },
        .count("eligible", "followed for the settings window", over: { $0.settings.shown }) { $0.settings.eligible },
        .count("enabled", "enabled in that window", over: { $0.settings.eligible }) { $0.settings.enabled },
        .count("partial", "enabled in part in that window", over: { $0.settings.enabled ?? 0 }) { $0.settings.partial },
        .knowable(
          "trials", isKnown: { $0.settings.trials != nil },
          [
            .group("prompted", group { $0.prompted }),
            .group(
              "not_prompted",
              group { $0.notPrompted } + [
                .count(
                  "prompted_later", "prompted in that window", .trials, over: { $0.settings.trials?.notPrompted.n }
                ) { $0.settings.trials?.promptedLater }
              ]),
            .estimate(
              "risk_ratio", "enabled prompted over not prompted", .ratio,
              over: { row in row.settings.trials.map { $0.prompted.n + $0.notPrompted.n } }
            ) { $0.settings.trials?.riskRatio },
          ]),
      ])
  ]

  private static func group(_ group: @escaping @Sendable (Trials) -> Trials.Group) -> [FigureNode<ReportRow>] {
    [
      .count("n", "daily trials", .trials) { $0.settings.trials.map { group($0).n } },
      .count("enabled", "enabled within the settings window", .trials, over: { $0.settings.trials.map { group($0).n } })
      {
        $0.settings.trials.map { group($0).enabled }
      },
    ]
  }
}

extension SettingsFigures.Trials {
  fileprivate init(_ sums: RowSums) {
    func all(_ count: TrialCount) -> Int {
      (0..<SettingsTrials.days).reduce(0) { $0 + sums[place: count.place(day: $1)] }
    }
    prompted = Group(n: all(.prompted), enabled: all(.promptedEnabled))
    notPrompted = Group(n: all(.notPrompted), enabled: all(.notPromptedEnabled))
    promptedLater = sums[place: Counter.trialsPromptedLater]
    // Most rows have no prompts.
    guard prompted.n > 0 else {
      riskRatio = nil
      return
    }
    let strata = (0..<SettingsTrials.days).map { day in
      func count(_ count: TrialCount) -> Int { sums[place: count.place(day: day)] }
      return RiskRatio.Stratum(
        first: (count(.promptedEnabled), count(.prompted)), second: (count(.notPromptedEnabled), count(.notPrompted)))
    }
    // One return counts on each of the days before it.
    let squares = Double(sums[JourneySum.squaredTrialsNotPromptedEnabled])
    let dispersion = notPrompted.enabled > 0 ? squares / Double(notPrompted.enabled) : 1
    riskRatio = RiskRatio.mantelHaenszel(strata, dispersion: dispersion).map { Estimate($0.ratio, $0.interval) }
  }
}
