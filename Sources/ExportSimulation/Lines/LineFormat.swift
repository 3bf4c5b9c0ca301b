// What a format needs to write a line, and the words it writes with.

import PermissionEvents

/// Writes events in one format, a line each.
protocol LineFormat {
  init(_ words: LineWords)
  func header(into out: inout LineBuffer)
  func write(_ event: SimulatedEvent, _ user: SimulatedUser, into out: inout LineBuffer)
}

extension LineFormat {
  func header(into out: inout LineBuffer) {}
}

/// Words as bytes, by the indexes that events carry.
struct LineWords {
  let dates: DateTexts
  let kinds = EventKind.names.map { Array($0.utf8) }
  let statuses = AuthorizationStatus.names.map { Array($0.utf8) }
  let permissions = PermissionModel.all.map { Array($0.name.utf8) }
  let experiments = PermissionModel.all.map { Array(($0.experiment?.name ?? "").utf8) }
  let surfaces = PermissionModel.all.map { Array($0.surface.utf8) }
  let features = AppVocabulary.features.map { Array($0.utf8) }
  let appVersions: [[UInt8]]
  let osVersions = AppVocabulary.osVersions.map { Array($0.utf8) }
  let countries = AppVocabulary.countries

  init(_ options: SimulationOptions) {
    dates = DateTexts(options)
    appVersions = AppVocabulary.appVersions(days: options.days).map { Array($0.utf8) }
  }
}

extension SimulatedEvent {
  /// Where in the app: screens, answers and Settings prompts have a place, what the app finds out later has none.
  var hasSurface: Bool {
    switch kind {
    case .explanationShown, .promptShown, .granted, .denied, .skipped, .settingsPromptShown, .settingsOpened:
      permission != Self.absent
    default: false
    }
  }
}
