// Why a figure is not known: the log holds no events that could tell. Each reason has its sentence here alone.

import PermissionAnalysis

enum EvidenceNotes {
  /// The reasons of a section's rows, a sentence each.
  /// - Parameter kinds: the evidence that the section's figures rest on.
  static func sentences(_ kinds: [Evidence], _ rows: [ReportRow]) -> [String] {
    kinds.compactMap { kind in
      let names = permissions(rows.filter { $0.noEvidence.contains(kind) })
      return names.isEmpty ? nil : sentence(kind, names)
    }
  }

  /// The names of the rows' permissions, each once.
  private static func permissions(_ rows: [ReportRow]) -> [String] {
    var names: [String] = []
    for row in rows where names.last.map({ !RowNames.isSame($0, row.permission) }) ?? true {
      names.append(row.permission)
    }
    return names
  }

  private static func sentence(_ kind: Evidence, _ permissions: [String]) -> String {
    let names = NameList.of(permissions, most: 6)
    let events: String
    switch kind {
    case .enabledLater: events = "this log has no re_enabled or status_checked events of \(names)"
    case .revoked: events = "this log has no revoked or status_checked events of \(names)"
    case .activity, .featureUsed, .settingsOpened, .appInstalled: events = kind.sentence
    case .promptTimes: events = "prompts of \(names) are logged together with their answers"
    case .screens: events = "this log has no screens of \(names)"
    case .explanation: events = "this log has no explanation_shown events of \(names)"
    case .answers: events = "this log has no granted or denied events of \(names)"
    }
    return events.prefix(1).uppercased() + events.dropFirst() + ", so " + consequence(kind) + "."
  }

  private static func consequence(_ kind: Evidence) -> String {
    switch kind {
    case .activity: "nobody can be known to have used the app again"
    case .featureUsed: "uses of a feature are not known"
    case .enabledLater: "nobody who denied can be known to have enabled it later"
    case .revoked: "nobody can be known to have turned it off"
    case .settingsOpened: "nobody can be known to have followed the alert"
    case .appInstalled: "how long after the install people were asked is not known"
    case .promptTimes: "how long people take is not known"
    case .screens: "rates are of those who answered, and who did not is not known"
    case .explanation: "what people do on an explanation is not known"
    case .answers: "what people answered is not known"
    }
  }
}

/// A few of many names in a sentence.
enum NameList {
  /// `camera, contacts and 3 more`.
  static func of(_ names: [String], most: Int, separator: String = ", ") -> String {
    of(names, most: most, separator: separator) { $0 }
  }

  /// - Parameter name: called for those that are named alone.
  static func of<Item>(_ items: [Item], most: Int, separator: String = ", ", name: (Item) -> String) -> String {
    let names = items.prefix(most).map(name).joined(separator: separator)
    return items.count > most ? names + " and \(items.count - most) more" : names
  }
}
