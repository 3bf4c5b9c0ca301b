// The mapping of canonical rows whose event is no kind: their names are read by the same words as a vendor's, and their
// other columns are the properties.

import PermissionEvents

extension MappingProgram {
  /// Reads names of canonical rows. Only its decisions are asked for: ids and times of such rows go the canonical way.
  package static let canonical: MappingProgram? = try? MappingProgram(.canonical, prefersAccount: false)
}

extension Mapping {
  fileprivate static var canonical: Mapping {
    func own(_ name: String) -> PropertyReference { .pointer([name]) }
    func names(_ texts: String) -> [PropertyReference] { wordList(texts).map { .name($0) } }
    var record = RecordDescription()
    record.event = [.from(own("event"))]
    record.user = [.init(from: own("user_id"))]
    record.time = [own("timestamp")]
    var mapping = Mapping(name: "canonical")
    mapping.isCanonical = true
    mapping.record = record
    mapping.fields[.permission] = [own("permission")]
    mapping.fields[.feature] = [own("feature")]
    mapping.telling[.status] = [own("status")]
    mapping.telling[.permission_hint] = names(
      "permission_type permission_name permissions type kind resource capability channel")
    mapping.telling[.source] = names("source from")
    mapping.telling[.button] = names("button button_name button_text button_label cta element")
    mapping.telling[.screen] = names("screen screen_name")
    mapping.otherwise = [
      rule(
        "*did_become_active app_became_active application_became_active app_active active app_open app_opened opened_app "
          + "application_open application_opened app_launch app_launched application_launched app_foreground app_foregrounded "
          + "application_foregrounded app_will_enter_foreground app_entered_foreground session_start session_started "
          + "start_session user_engagement", .appActive),
      rule("app_install application_installed first_open", .appInstalled),
      rule("feature_use used_feature use_feature", .featureUsed),
    ]
    return mapping
  }

  private static func rule(_ patterns: String, _ kind: EventKind) -> MappingRule {
    var rule = MappingRule(result: .event(kind), line: 0)
    rule.patterns = wordList(patterns).map { Glob(name: $0) }
    return rule
  }
}
