// Names and codes that are stored in logs, and what a status means.

import Testing

@testable import PermissionEvents

@Suite struct VocabularyTests {
  @Test func kindsAreInTheOrderThatBreaksTies() {
    let names = [
      "explanation_shown", "prompt_shown", "granted", "denied", "skipped", "settings_prompt_shown", "settings_opened",
      "re_enabled", "revoked", "status_checked", "feature_used", "app_active", "app_installed", "assigned",
      "lost", "picker_used",
    ]
    #expect(EventKind.allCases.map(\.name) == names)
    #expect(EventKind.allCases.map(\.rawValue) == Array(0..<16))
    #expect(EventKind.allCases.filter(\.isEngagement) == [.featureUsed, .appActive])
    #expect(EventKind.allCases.filter(\.isScreen) == [.explanationShown, .promptShown])
    #expect(
      EventKind.allCases.filter { !$0.needsPermission } == [
        .featureUsed, .appActive, .appInstalled, .assigned, .lost, .pickerUsed,
      ])
  }

  @Test func figuresListLaterKindsOnlyIfThereIsAnEvent() {
    let none = [Int](repeating: 0, count: 15)
    var installed = none
    installed[12] = 1
    #expect(EventKind.listed([none, none]) == EventKind.names.prefix(12))
    #expect(EventKind.listed([]) == EventKind.names.prefix(12))
    #expect(EventKind.listed([none, installed, none]) == EventKind.names.prefix(13))
  }

  @Test func aLossIsReadFromItsSurface() {
    func read(_ text: String) -> LostEvents? { LostEvents(surface: Array(text.utf8)) }
    #expect(read("12 app_active full") == LostEvents(count: 12, kind: "app_active", reason: "full"))
    for text in [
      "", "12 app_active", "0 granted full", "-1 granted full", "x granted full", "1 a b c",
      "99999999 granted full",
    ] {
      #expect(read(text) == nil, "\(text)")
    }
  }

  @Test func statusesKeepTheirCodes() {
    let names = [
      "", "not_determined", "restricted", "denied", "authorized", "limited", "provisional", "ephemeral", "full_access",
      "write_only", "when_in_use", "always", "reduced_accuracy", "allowed_once", "declined_sharing",
      "approved_with_data_access",
    ]
    #expect(AuthorizationStatus.allCases.map(\.name) == names)
    #expect(AuthorizationStatus.allCases.map(\.rawValue) == Array(0..<16))
  }

  @Test func permissionsKeepTheirCodes() {
    #expect(PermissionCode.taxonomy.count == 60)
    #expect(Set(PermissionCode.taxonomy).count == 60)
    // Those of the first release keep their codes; later names are appended.
    #expect(PermissionCode.taxonomy[25] == "alarms" && PermissionCode.taxonomy.last == "nearby_devices")
    func name(_ code: PermissionCode) -> String { PermissionCode.taxonomy[Int(code.rawValue) - 1] }
    #expect(name(.locationAlways) == "location_always")
    #expect(name(.calendarsWriteOnly) == "calendars_write_only")
    #expect(name(.healthRead) == "health_read")
    #expect(name(.mail) == "mail")
    #expect(PermissionCode.taxonomy.first == "notifications" && PermissionCode.taxonomy[5] == "location_when_in_use")
  }

  @Test func fieldsKeepTheirOrder() {
    #expect(StringField.allCases.map(\.rawValue) == Array(0..<10))
    #expect(StringField.names[StringField.appVersion.rawValue] == "app_version")
    #expect(StringField.allCases.map(\.name) == StringField.names)
  }

  /// Status, and its access for camera, `calendars_write_only`, `location_always` and a custom permission.
  @Test(arguments: [
    (AuthorizationStatus.none, [Access.undecided, .undecided, .undecided, .undecided]),
    (.notDetermined, [.undecided, .undecided, .undecided, .undecided]),
    (.restricted, [.restricted, .restricted, .restricted, .restricted]),
    (.denied, [.off, .off, .off, .off]),
    (.authorized, [.on, .on, .on, .on]),
    (.limited, [.partial, .partial, .partial, .partial]),
    (.provisional, [.partial, .partial, .partial, .partial]),
    (.ephemeral, [.partial, .partial, .partial, .partial]),
    (.fullAccess, [.on, .on, .on, .on]),
    (.writeOnly, [.partial, .on, .partial, .partial]),
    (.whenInUse, [.on, .on, .partial, .on]),
    (.always, [.on, .on, .on, .on]),
  ])
  func accessOfAStatus(status: AuthorizationStatus, expected: [Access]) {
    let permissions: [PermissionCode] = [.init(rawValue: 2), .calendarsWriteOnly, .locationAlways, .init(rawValue: 26)]
    #expect(permissions.map { status.access(permission: $0) } == expected)
    #expect(permissions.map { status.isPartial(permission: $0) } == expected.map { $0 == .partial })
  }
}
