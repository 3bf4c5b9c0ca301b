// How users meet one permission in the made-up app: the parameters of its journeys. docs/simulation.md lists which of
// them are published and which are assumptions.

import PermissionEvents

/// Two messages on the explanation, shown to a random half each: what B changes.
package struct MessageExperiment: Sendable {
  package var name: String
  /// How many times as often the system's prompt is granted under B.
  var grantFactor = 1.0
  /// How many times as often the explanation is skipped under B.
  var skipFactor = 1.0
}

/// Probabilities at each step of a journey. Those "a visit" apply on each day on which the user opens the app.
package struct PermissionModel: Sendable {
  package var name: String
  var surface: String
  var fullStatus = AuthorizationStatus.authorized
  package var experiment: MessageExperiment?

  // Being asked.
  var askedFirstDay: Double
  /// Asked on a later visit, if it has not been.
  var askedLater: Double
  /// Askings that begin with the app's explanation.
  var explained: Double

  // Answering.
  var abandoned: Double
  var skipped: Double
  /// The app is closed under the system's prompt.
  var lost = 0.015
  var restricted: Double
  var granted: Double
  /// Share of grants that are partial.
  var partial = 0.0
  var partialStatus = AuthorizationStatus.limited

  /// Among users who had decided before the export begins, the share who granted; nil if the app reads the status
  /// before it asks them.
  var decidedGranted: Double?

  // Afterwards, a visit.
  /// The prompt comes (again) after a skip or a drop-off.
  var askedAgain: Double
  /// The alert that leads to Settings, after a denial, until it has been shown once.
  var settingsPrompt: Double
  var settingsOpened: Double
  /// Turned on, of those who opened Settings.
  var settingsEnabled: Double
  /// Found turned on without a Settings prompt, after a denial.
  var enabledAlone: Double
  /// Found turned off, after a grant.
  var revoked: Double
  /// Found upgraded to full access, after a partial grant.
  var upgraded = 0.0

  /// Probability of granting if the system asks and the device is not restricted.
  /// - Parameter isB: the second message of the experiment was on the explanation.
  func grant(_ level: EngagementLevel, isB: Bool) -> Double {
    min(0.98, granted * level.grantFactor * (isB ? experiment?.grantFactor ?? 1 : 1))
  }

  /// Probability of skipping, of those who do not abandon the explanation.
  func skip(_ level: EngagementLevel, isB: Bool) -> Double {
    min(0.98, skipped * level.skipFactor * (isB ? experiment?.skipFactor ?? 1 : 1))
  }

  // MARK: Two messages on the Settings prompt

  /// How many times as often Settings are opened under B.
  static let settingsFactor = 1.5

  var settingsExperiment: String { name + "_settings_v1" }

  func settingsOpened(isB: Bool) -> Double { settingsOpened * (isB ? Self.settingsFactor : 1) }

  /// The same with the mean of both messages: one visit decides what follows a Settings prompt, so that the truths of all users
  /// are those of the mean.
  var withSettingsMessages: PermissionModel {
    var model = self
    model.settingsOpened = (settingsOpened(isB: false) + settingsOpened(isB: true)) / 2
    return model
  }

  /// The same without what follows a denial, a skip or a drop-off.
  var asksOnce: PermissionModel {
    var once = self
    (once.askedAgain, once.settingsPrompt, once.enabledAlone) = (0, 0, 0)
    return once
  }

  // MARK: The made-up app's permissions

  package static let all: [PermissionModel] = [
    PermissionModel(
      name: "notifications", surface: "onboarding",
      experiment: MessageExperiment(name: "notification_copy_v1", grantFactor: 1.20, skipFactor: 0.5),
      askedFirstDay: 0.84, askedLater: 0.20, explained: 0.85, abandoned: 0.06, skipped: 0.25, restricted: 0.01,
      granted: 0.52, partial: 0.04, partialStatus: .provisional, decidedGranted: 0.80, askedAgain: 0.035,
      settingsPrompt: 0.08, settingsOpened: 0.30, settingsEnabled: 0.45, enabledAlone: 0.003, revoked: 0.004,
      upgraded: 0.03),
    PermissionModel(
      name: "tracking", surface: "onboarding",
      experiment: MessageExperiment(name: "tracking_copy_v1", grantFactor: 1.10),
      askedFirstDay: 0.70, askedLater: 0.15, explained: 0.80, abandoned: 0.04, skipped: 0.20, restricted: 0.27,
      granted: 0.30, decidedGranted: 0.10, askedAgain: 0.01, settingsPrompt: 0.02, settingsOpened: 0.10,
      settingsEnabled: 0.20, enabledAlone: 0.001, revoked: 0.001),
    PermissionModel(
      name: "photo_library", surface: "composer", askedFirstDay: 0.08, askedLater: 0.10, explained: 0.50,
      abandoned: 0.03, skipped: 0.08, restricted: 0.01, granted: 0.85, partial: 0.20, askedAgain: 0.08,
      settingsPrompt: 0.20, settingsOpened: 0.40, settingsEnabled: 0.60, enabledAlone: 0.004, revoked: 0.001,
      upgraded: 0.02),
    // Two names for one message: a difference found here is noise.
    PermissionModel(
      name: "camera", surface: "scanner", experiment: MessageExperiment(name: "camera_primer_v1"),
      askedFirstDay: 0.05, askedLater: 0.07, explained: 0.60, abandoned: 0.03, skipped: 0.06, restricted: 0.01,
      granted: 0.88, askedAgain: 0.09, settingsPrompt: 0.25, settingsOpened: 0.45, settingsEnabled: 0.65,
      enabledAlone: 0.004, revoked: 0.001),
    PermissionModel(
      name: "location_when_in_use", surface: "map", fullStatus: .whenInUse,
      experiment: MessageExperiment(name: "location_comic_v1", grantFactor: 0.80),
      askedFirstDay: 0.06, askedLater: 0.06, explained: 0.70, abandoned: 0.04, skipped: 0.12, restricted: 0.02,
      granted: 0.75, askedAgain: 0.05, settingsPrompt: 0.15, settingsOpened: 0.35, settingsEnabled: 0.50,
      enabledAlone: 0.003, revoked: 0.003),
    PermissionModel(
      name: "microphone", surface: "voice_note", askedFirstDay: 0.03, askedLater: 0.05, explained: 0.30,
      abandoned: 0.03, skipped: 0.07, restricted: 0.01, granted: 0.84, askedAgain: 0.08, settingsPrompt: 0.20,
      settingsOpened: 0.40, settingsEnabled: 0.60, enabledAlone: 0.004, revoked: 0.001),
    PermissionModel(
      name: "contacts", surface: "invite_friends", askedFirstDay: 0.02, askedLater: 0.03, explained: 0.70,
      abandoned: 0.05, skipped: 0.25, restricted: 0.01, granted: 0.60, partial: 0.10, askedAgain: 0.02,
      settingsPrompt: 0.06, settingsOpened: 0.25, settingsEnabled: 0.40, enabledAlone: 0.001, revoked: 0.001,
      upgraded: 0.01),
  ]
}

// MARK: What becomes of one asking in the onboarding

/// How an asking ends, in the order of the report's outcomes.
package enum AskOutcome: Int, CaseIterable, Sendable {
  case granted, denied, skipped, droppedOff, restricted

  package var name: String { ["granted", "denied", "skipped", "dropped_off", "restricted"][rawValue] }

  /// The chance that the user goes on to the next permission of the same sitting, if there is one. A user who closed
  /// the app during a question comes back to it within minutes, or not at all.
  var goingOn: Double {
    switch self {
    case .granted, .restricted: 0.95
    case .denied: 0.80
    case .skipped: 0.86
    case .droppedOff: 0.30
    }
  }
}

/// Probabilities of the outcomes, which add up to one.
struct OutcomeShares {
  let granted: Double
  let denied: Double
  let skipped: Double
  let droppedOff: Double
  let restricted: Double

  subscript(outcome: AskOutcome) -> Double {
    switch outcome {
    case .granted: granted
    case .denied: denied
    case .skipped: skipped
    case .droppedOff: droppedOff
    case .restricted: restricted
    }
  }

  func draw(_ random: inout RandomSource) -> AskOutcome {
    var rest = random.uniform()
    for outcome in AskOutcome.allCases {
      rest -= self[outcome]
      if rest < 0 { return outcome }
    }
    return .denied
  }
}

// MARK: How long users of the onboarding's app are there before they are asked

/// When the onboarding comes, from the install on.
enum Wait: Int, CaseIterable {
  /// Within the first minute, within a quarter of an hour, on the same day.
  case atOnce, minutes, hours
  case days, overAWeek

  var share: Double { [0.35, 0.20, 0.15, 0.17, 0.13][rawValue] }
  var factor: Double { [0.70, 0.85, 1, 1.12, 1.20][rawValue] }
  var days: Int { [0, 0, 0, 3, 10][rawValue] }
}

// MARK: How much users of the onboarding's app do in it

enum Habit: Int, CaseIterable {
  case little, some, much

  var share: Double { [0.40, 0.35, 0.25][rawValue] }
  var factor: Double { [0.92, 1, 1.10][rawValue] }
  var features: Int { [0, 1, 3][rawValue] }
  var daysBetween: Int { [0, 1, 3][rawValue] }

  func daysBefore(_ wait: Wait) -> Int {
    switch wait {
    case .atOnce, .minutes, .hours: 0
    case .days: [1, 2, 3][rawValue]
    case .overAWeek: [2, 5, 9][rawValue]
    }
  }
}

// MARK: The latent engagement: how keen a user is
// It drives visits, staying, the use of features, granting and skipping alike. So users who grant come back more often,
// although granting has no effect on coming back.

/// One of `count` equally frequent levels. A latent with finitely many levels makes every expectation a finite sum.
struct EngagementLevel: Sendable {
  static let count = 32

  /// The user is still there on the next day.
  let staying: Double
  /// The user opens the app on a day after the first, by day of the week from Monday.
  let visiting: [Double]
  /// Another feature is used in the same visit.
  let usingMore: Double
  let grantFactor: Double
  let skipFactor: Double

  static let mostFeatures = 9
  private static let weekday = [0.97, 0.95, 0.94, 0.96, 1.00, 1.08, 1.06]

  private init(_ keenness: Double) {
    staying = 1 - 0.15 + 0.142 * keenness
    visiting = Self.weekday.map { $0 * (0.10 + 0.58 * keenness * keenness) }
    usingMore = 0.45 + 0.30 * keenness
    grantFactor = 0.85 + 0.30 * keenness
    skipFactor = 1.25 - 0.50 * keenness
  }

  static let all = (0..<count).map { EngagementLevel((Double($0) + 0.5) / Double(count)) }

  var meanFeatures: Double {
    var power = 1.0
    var sum = 0.0
    for _ in 0..<Self.mostFeatures {
      power *= usingMore
      sum += power
    }
    return sum
  }
}

// MARK: The two populations, and the words of their events by number

/// The made-up users of an export.
public enum SimulatedPopulation: Sendable {
  /// Users who meet seven permissions here and there, with four tests of two messages.
  case everyday
  /// Users who install the app, are led through an onboarding of three permissions and see a new release.
  case onboarding

  // By the number that an event has.
  var permissions: [String] {
    switch self {
    case .everyday: PermissionModel.all.map(\.name)
    case .onboarding: OnboardingPermission.all.map(\.name)
    }
  }

  var surfaces: [String] {
    switch self {
    case .everyday: PermissionModel.all.map(\.surface)
    case .onboarding: OnboardingScreen.allCases.map(\.name)
    }
  }

  /// By permission; empty if it has no test of two messages.
  var experiments: [String] {
    switch self {
    case .everyday: PermissionModel.all.map { $0.experiment?.name ?? "" }
    case .onboarding: OnboardingPermission.all.map { _ in "" }
    }
  }

  func appVersions(days: Int) -> [String] {
    switch self {
    case .everyday: AppVocabulary.appVersions(days: days)
    case .onboarding: OnboardingRelease.versions
    }
  }
}

// MARK: The words of the made-up app: countries, versions, features

enum AppVocabulary {
  /// A country with its usual locale, the offset of its clocks in winter, and its share of the users.
  struct Country {
    let code: String
    let name: String
    let locale: String
    let language: String
    let zone: String
    let hours: Int
    let percent: Int
  }

  static let countries = [
    Country(
      code: "US", name: "United States", locale: "en_US", language: "English", zone: "America/Chicago", hours: -6,
      percent: 34),
    Country(
      code: "DE", name: "Germany", locale: "de_DE", language: "German", zone: "Europe/Berlin", hours: 1, percent: 17),
    Country(
      code: "GB", name: "United Kingdom", locale: "en_GB", language: "English", zone: "Europe/London", hours: 0,
      percent: 14),
    Country(
      code: "FR", name: "France", locale: "fr_FR", language: "French", zone: "Europe/Paris", hours: 1, percent: 11),
    Country(
      code: "BR", name: "Brazil", locale: "pt_BR", language: "Portuguese", zone: "America/Sao_Paulo", hours: -3,
      percent: 9),
    Country(
      code: "JP", name: "Japan", locale: "ja_JP", language: "Japanese", zone: "Asia/Tokyo", hours: 9, percent: 8),
    Country(
      code: "IN", name: "India", locale: "en_IN", language: "English", zone: "Asia/Kolkata", hours: 5, percent: 7),
  ]

  static let countryOfPercent = countries.indices.flatMap {
    [UInt8](repeating: UInt8($0), count: countries[$0].percent)
  }

  static let osVersions = ["17.7", "18.6", "26.0", "26.1"]
  /// Of eight users, the system of each.
  static let osOfEighth: [UInt8] = [0, 1, 1, 1, 2, 2, 3, 3]

  static let features = ["feed", "search", "compose", "scan", "map", "share", "profile", "bookmark", "chat", "export"]

  static let daysPerRelease = 18
  static func appVersions(days: Int) -> [String] { (0...min(days / daysPerRelease, 250)).map { "3.\($0).0" } }
}
