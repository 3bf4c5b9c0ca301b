// Properties of every row: the status that a value means, and the names that are offered to be read.

import PermissionEvents
import Testing

@testable import EventMapping

@Suite struct StickyPropertyTests {
  private static func status(_ name: String, _ value: String) -> AuthorizationStatus? {
    StickyProperty(state: name, permission: "notifications").status(Array(value.utf8))
  }

  @Test("a value means the status that it names, yes and no as the property's name asks for them")
  func statuses() {
    let known: [(String, String, AuthorizationStatus?)] = [
      ("push_enabled", "true", .authorized), ("push_enabled", "False", AuthorizationStatus.none),
      ("push_enabled", "1", .authorized),
      ("pushEnabled", "0", AuthorizationStatus.none), ("push_enabled", "1.0", .authorized),
      ("notifications_opted_in", "yes", .authorized),
      ("notification_permission", "authorized", .authorized),
      ("notification_permission", "notDetermined", .notDetermined),
      ("notification_permission", "Denied", .denied), ("notification_permission", "provisional", .provisional),
      ("notification_permission", "true", .authorized), ("push_opt_out", "true", .denied),
      // Nothing that is not certain.
      ("push_opt_out", "false", nil), ("notification_permission", "2", nil), ("notification_status", "1", nil),
      ("push_enabled", "2", nil), ("push_enabled", "maybe", nil), ("push_enabled", "-1", nil),
      ("push_enabled", "", nil),
      ("not_push_permission", "true", nil), ("push_prompted", "true", nil),
      ("push_opt_in", "0", AuthorizationStatus.none), ("push_status", "notdetermined", .notDetermined),
      ("push_disabled", "true", .denied), ("push_disabled", "false", nil),
      ("push_denied", "authorized", nil),
    ]
    for (name, value, status) in known { #expect(Self.status(name, value) == status, "\(name): \(value)") }
  }

  @Test("names of states are offered, those of answers, screens and other things are not")
  func offered() throws {
    let program = try #require(MappingProgram.canonical)
    let offered = [
      ("push_enabled", "notifications"), ("pushEnabled", "notifications"), ("notification_permission", "notifications"),
      ("user_properties.camera_permission", "camera"), ("os_notifications_enabled", "notifications"),
    ]
    for (key, permission) in offered {
      #expect(program.unread(key)?.permission == permission, "\(key)")
      #expect(program.unread(key)?.isExperiment == false)
    }
    for key in [
      "enabled", "email_enabled", "push_granted", "notification_result", "push_prompt_shown", "push_token",
      "notification_count", "camera", "push_title", "previous_push_enabled", "", ".",
    ] { #expect(program.unread(key) == nil, "\(key)") }
    #expect(program.unread("$feature/push_copy") == StickyProperty(experiment: "push_copy"))
    #expect(program.unread("[Experiment] Flag Key") == nil)
  }
}
