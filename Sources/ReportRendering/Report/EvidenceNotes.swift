// Why a figure is not known: the log holds no events that could tell. Each reason has its sentence here alone.

import PermissionAnalysis

enum EvidenceNotes {
  /// The reasons of a section's rows, a sentence each.
  /// - Parameter kinds: the evidence that the section's figures rest on.
  static func sentences(_ kinds: [PendingEvidence], _ rows: [ReportRow]) -> [String] {
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

  private static func sentence(_ kind: PendingEvidence, _ permissions: [String]) -> String {
    let names = NameList.of(permissions, most: 6)
    switch kind {
    case .activity:
      return "This log has no activity events (app_active, feature_used), so nobody's use of the app is known."
    case .featureUsed: return "This log has no feature_used events, so uses of a feature are not known."
    case .enabledLater:
      return
        "No status checks or re-enabled events of \(names), so nobody who denied can be known to have enabled it later."
    case .revoked:
      return "No status checks or revoked events of \(names), so nobody can be known to have turned it off."
    case .settingsOpened:
      return "This log has no settings_opened events, so nobody is known to have followed the alert."
    }
  }
}

/// A few of many names in a sentence.
enum NameList {
  /// `camera, contacts and 3 more`.
  static func of(_ names: [String], most: Int, separator: String = ", ") -> String {
    guard names.count > most else { return names.joined(separator: separator) }
    return names.prefix(most).joined(separator: separator) + " and \(names.count - most) more"
  }
}
