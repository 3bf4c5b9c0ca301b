// What an audit finds in declarations, at and just beyond the edge of each check; and one app in which it finds nothing.

import PermissionEvents
import Testing

@testable import PermissionAnalysis

@Suite struct PurposeCheckTests {
  private static let good = "Scan receipts with your camera."

  /// An app with a good sentence for each key, each another one.
  private func app(_ keys: [String], file: String = "Info.plist") -> AppPurposes {
    var app = AppPurposes(file: file)
    for (index, key) in keys.enumerated() { app.sentences[key] = .init("\(Self.good) \(index)", in: file) }
    return app
  }

  /// The places and reasons of a check's findings.
  private func found(
    _ check: AuditCheck, _ apps: [AppPurposes], asked: Set<String> = []
  ) -> [PurposeFinding] {
    PurposeCheck.candidates(apps, asked: asked).filter { $0.check == check && $0.leftOut == nil }.compactMap {
      if case .purpose(let finding) = $0.detail { finding } else { nil }
    }
  }

  @Test("A clean app has no findings, and each check says so")
  func clean() {
    var app = app([
      "NSCameraUsageDescription", "NSLocationWhenInUseUsageDescription", "NSLocationAlwaysAndWhenInUseUsageDescription",
      "NSBluetoothAlwaysUsageDescription", "NSLocalNetworkUsageDescription",
    ])
    app.backgroundModes = ["location", "bluetooth-central", "audio", "fetch"]
    app.hasBonjourServices = true
    let german = app.sentences.mapValues { AppPurposes.Sentence(($0.text ?? "") + " Ja.", in: "de") }
    app.translations = [.init("de", german), .init("de-AT"), .init("en-GB")]
    let asked: Set = [
      "camera", "location_always", "bluetooth", "local_network", "notifications", "mail", "own_permission",
    ]
    let candidates = PurposeCheck.candidates([app], asked: asked)
    #expect(candidates.map(\.check) == AuditCheck.allCases.filter { $0.group == .infoPlist && $0 != .mayAsk })
    #expect(candidates.allSatisfy { $0.leftOut == .belowThreshold })
  }

  @Test("Without an Info.plist there are no candidates, and without sentences nothing to see")
  func nothing() {
    #expect(PurposeCheck.candidates([], asked: ["camera"]).isEmpty)
    let candidates = PurposeCheck.candidates([AppPurposes(file: "a")], asked: ["notifications"])
    #expect(candidates.count == 6 && candidates.allSatisfy { $0.leftOut == .nothingToSee })
    // Of a log without questions nothing is unused.
    let unused = PurposeCheck.candidates([app(["NSCameraUsageDescription"])], asked: []).first {
      $0.check == .unusedPurpose
    }
    #expect(unused?.leftOut == .nothingToSee)
  }

  @Test("Every permission of the taxonomy but a few needs a key, and every key serves one of the taxonomy")
  func table() {
    let without = PermissionCode.taxonomy.filter { UsageKey.needed(for: $0).isEmpty }
    #expect(
      without == [
        "notifications", "mail", "age_range", "family_controls", "location_temporary_accuracy", "critical_alerts",
        "time_sensitive", "accessory_setup", "wifi_aware", "journaling_suggestions", "screen_capture", "body_sensors",
        "nearby_devices",
      ])
    for key in UsageKey.all {
      #expect(Set(key.permissions).isSubset(of: PermissionCode.taxonomy), "\(key.name)")
      #expect(UsageKey.isUsageKey(key.name) && UsageKey.named(key.name) == key)
      if let successor = key.successor {
        #expect(UsageKey.named(successor.key)?.successor == nil && successor.iOS >= 8, "\(key.name)")
      }
    }
    for permission in PermissionCode.taxonomy {
      for keys in UsageKey.needed(for: permission) {
        #expect(keys.first.flatMap(UsageKey.named)?.successor == nil, "\(permission): the key to add is the newest")
      }
    }
  }

  @Test("A key of one system is missing there alone")
  func keysOfOneSystem() {
    var mac = app([])
    mac.system = .macOS
    #expect(found(.missingPurpose, [mac], asked: ["apple_events"]).map(\.key) == ["NSAppleEventsUsageDescription"])
    #expect(found(.missingPurpose, [app([])], asked: ["apple_events", "hand_tracking", "fall_detection"]).isEmpty)
    #expect(found(.missingPurpose, [mac], asked: ["hand_tracking"]).isEmpty)
    #expect(found(.missingPurpose, [app([])], asked: ["alarms"]).map(\.reason) == [.isMissing(since: "iOS 26")])
  }

  @Test("Asked for and no key: an error, with what happens and since when")
  func missing() {
    let candidates = PurposeCheck.candidates([app([], file: "A.plist")], asked: ["tracking"])
    #expect(candidates.first?.check == .missingPurpose && candidates.first?.severity == .error)
    #expect(candidates.first?.permission == "tracking" && candidates.first?.users == nil)
    let finding = found(.missingPurpose, [app([], file: "A.plist")], asked: ["tracking"]).first
    #expect(finding?.file == "A.plist" && finding?.key == "NSUserTrackingUsageDescription" && finding?.text == nil)
    #expect(finding?.reason == .isMissing(since: "iOS 14") && finding?.consequence == .crash)
    #expect(found(.missingPurpose, [app([])], asked: ["notifications", "mail"]).isEmpty)
    #expect(found(.missingPurpose, [app(["NSUserTrackingUsageDescription"])], asked: ["tracking"]).isEmpty)
  }

  @Test("Without a key the system asks for the local network all the same, and gives no reason of the app's: an error")
  func localNetwork() {
    let candidate = PurposeCheck.candidates([app([])], asked: ["local_network"]).first
    #expect(candidate?.severity == .error && candidate?.leftOut == nil)
    guard case .purpose(let purpose)? = candidate?.detail else { return #expect(Bool(false)) }
    #expect(purpose.consequence == .plainQuestion)
  }

  @Test("A key of an extension is not the app's, and what is missing is missing in the app")
  func severalFiles() {
    var share = app(["NSCameraUsageDescription"], file: "Share.plist")
    share.isExtension = true
    let main = app(["NSContactsUsageDescription"], file: "App.plist")
    #expect(
      found(.missingPurpose, [share, main], asked: ["camera", "contacts"]).map(\.reason)
        == [.isElsewhere(file: "Share.plist")])
    #expect(
      PurposeCheck.candidates([share, main], asked: ["camera"]).first { $0.check == .missingPurpose }?.severity
        == .warning)
    let helper = app(["NSCameraUsageDescription"], file: "Helper.plist")
    #expect(found(.missingPurpose, [main, helper], asked: ["camera", "contacts"]).isEmpty)
    #expect(found(.missingPurpose, [share, main], asked: ["motion"]).map(\.file) == ["App.plist"])
    // Of an extension alone nothing is known of its app.
    let candidate = PurposeCheck.candidates([share], asked: ["motion"]).first
    #expect(candidate?.check == .missingPurpose && candidate?.leftOut == .nothingToSee)
    var modes = AppPurposes(file: "App.plist")
    modes.hasBonjourServices = true
    share.sentences["NSLocalNetworkUsageDescription"] = .init(Self.good, in: "Share.plist")
    #expect(found(.missingPurpose, [share, modes]).isEmpty)
  }

  @Test(
    "One key of a family is enough",
    arguments: [
      ("calendars", "NSCalendarsUsageDescription"), ("calendars", "NSCalendarsWriteOnlyAccessUsageDescription"),
      ("calendars_write_only", "NSCalendarsFullAccessUsageDescription"), ("reminders", "NSRemindersUsageDescription"),
      ("photo_library", "NSPhotoLibraryAddUsageDescription"), ("photo_library_add", "NSPhotoLibraryUsageDescription"),
      ("bluetooth", "NSBluetoothPeripheralUsageDescription"), ("location_when_in_use", "NSLocationUsageDescription"),
    ])
  func families(permission: String, key: String) {
    #expect(found(.missingPurpose, [app([key])], asked: [permission]).isEmpty)
    #expect(found(.missingPurpose, [app([])], asked: [permission]).count == 1)
  }

  @Test("HealthKit's two permissions have a key each")
  func health() {
    let keys = found(.missingPurpose, [app(["NSHealthShareUsageDescription"])], asked: ["health_read", "health_write"])
    #expect(keys.map(\.key) == ["NSHealthUpdateUsageDescription"])
  }

  @Test("Always needs the key of when-in-use as well, and a key is missing once")
  func always() {
    let (always, inUse) = ("NSLocationAlwaysAndWhenInUseUsageDescription", "NSLocationWhenInUseUsageDescription")
    #expect(found(.missingPurpose, [app([inUse])], asked: ["location_always"]).map(\.key) == [always])
    #expect(found(.missingPurpose, [app([always])], asked: ["location_always"]).map(\.key) == [inUse])
    let both = found(.missingPurpose, [app([])], asked: ["location_always", "location_when_in_use"])
    #expect(both.map(\.key) == [always, inUse])
    #expect(found(.missingPurpose, [app([always, inUse])], asked: ["location_always"]).isEmpty)
  }

  @Test(
    "A finding is of the permission that its key is for, if that was asked for, and of all of the key's if one is looked for"
  )
  func permissions() {
    let apps = [app([])]
    let both = PurposeCheck.candidates(apps, asked: ["location_always", "location_when_in_use"]).prefix(2)
    #expect(both.map(\.permission) == ["location_always", "location_when_in_use"])
    let candidates = PurposeCheck.candidates(apps, asked: ["location_always"])
    #expect(candidates.prefix(2).map(\.permission) == ["location_always", "location_always"])
    for (permission, count) in [("location_when_in_use", 1), ("location_always", 2), ("camera", 0)] {
      var question = AuditQuestion(asOf: 0)
      question.permission = permission
      #expect(AuditReport(candidates, question, users: 0).findings.count == count, "\(permission)")
    }
  }

  @Test("An app for macOS has one key for location, and versions of macOS")
  func mac() {
    var app = app([], file: "Mac.plist")
    app.system = .macOS
    let location = found(.missingPurpose, [app], asked: ["location_always", "location_when_in_use", "face_id"])
    #expect(location.map(\.key) == ["NSLocationUsageDescription"] && location.map(\.reason) == [.isMissing(since: nil)])
    #expect(found(.missingPurpose, [app], asked: ["calendars"]).map(\.reason) == [.isMissing(since: "macOS 14")])
    app.sentences["NSLocationWhenInUseUsageDescription"] = .init(Self.good, in: "Mac.plist")
    #expect(found(.missingPurpose, [app], asked: ["location_always"]).isEmpty)
  }

  @Test("An app for a watch or a TV is not the one that asks, and of settings that are not read nothing is missing")
  func unknown() {
    var watch = app([], file: "Watch.plist")
    watch.system = .other
    #expect(found(.missingPurpose, [watch], asked: ["camera"]).isEmpty)
    #expect(
      found(.missingPurpose, [watch, app([], file: "App.plist")], asked: ["camera"]).map(\.file) == ["App.plist"])
    var main = app(["NSRemindersUsageDescription"])
    main.hasBonjourServices = true
    #expect(found(.missingPurpose, [main], asked: ["camera"]).count == 2)
    #expect(found(.deprecatedKey, [main]).count == 1)
    main.unknown = ["Pods.xcconfig is not there"]
    let candidates = PurposeCheck.candidates([main], asked: ["camera"])
    #expect(candidates.first?.check == .missingPurpose && candidates.first?.leftOut == .nothingToSee)
    #expect(
      found(.notKnown, [main], asked: ["camera"]).map(\.reason)
        == [true, false].map { .isNotKnown(isAsked: $0, why: "Pods.xcconfig is not there") })
    #expect(candidates.filter { $0.check == .notKnown }.map(\.severity) == [.warning, .warning])
    #expect(found(.deprecatedKey, [main]).isEmpty)
  }

  @Test(
    "A thousand keys in a thousand languages are looked at, which ends only if the work is not that of each by each")
  func many() {
    let keys = (0..<1_000).map { "NS\($0)UsageDescription" }
    var app = app(keys)
    app.translations = (0..<1_000).map { index in
      .init("\(index)" + String(repeating: "-", count: 90), [keys[index]: .init("Ein guter Grund dafür.", in: "t")])
    }
    let report = AuditReport(PurposeCheck.candidates([app], asked: []), AuditQuestion(asOf: 0), users: 0)
    #expect(report.findings.count { $0.check == .missingTranslation } == 1_000)
  }

  @Test("A background mode that does nothing without a permission needs a key of it")
  func modes() {
    var app = AppPurposes(file: "a")
    app.backgroundModes = ["bluetooth-central", "bluetooth-peripheral", "audio", "location"]
    app.hasBonjourServices = true
    let findings = PurposeCheck.candidates([app], asked: ["location_when_in_use"]).filter {
      $0.check == .missingPurpose
    }
    #expect(findings.map(\.severity) == [.error, .warning, .warning])
    #expect(findings.map(\.permission) == ["location_when_in_use", "bluetooth", "local_network"])
    #expect(
      found(.missingPurpose, [app], asked: ["location_when_in_use"]).dropFirst().map(\.reason)
        == [.isNeededBy("UIBackgroundModes bluetooth-central"), .isNeededBy("NSBonjourServices")])
    app.sentences["NSLocationAlwaysUsageDescription"] = .init(Self.good, in: "a")
    app.backgroundModes = ["location"]
    app.hasBonjourServices = false
    #expect(found(.missingPurpose, [app]).isEmpty)
  }

  @Test("A key of what was never asked for is a note; keys of permissions outside the taxonomy are none")
  func unused() {
    let app = app(["NSCameraUsageDescription", "NSMotionUsageDescription", "NSOtherUsageDescription"])
    let candidates = PurposeCheck.candidates([app], asked: ["camera"]).filter { $0.check == .unusedPurpose }
    #expect(candidates.map(\.permission) == ["motion"] && candidates.first?.severity == .note)
    #expect(found(.unusedPurpose, [app], asked: ["camera", "motion"]).isEmpty)
    let location = self.app(["NSLocationWhenInUseUsageDescription"])
    #expect(found(.unusedPurpose, [location], asked: ["location_always"]).isEmpty)
    #expect(found(.unusedPurpose, [location], asked: ["camera"]).map(\.reason) == [.isUnused(in: .log)])
  }

  @Test("A weak sentence is quoted, with its language")
  func weak() {
    var app = app(["NSContactsUsageDescription"])
    app.sentences["NSCameraUsageDescription"] = .init(" ", in: "Info.plist")
    app.sentences["NSMotionUsageDescription"] = .init(nil, in: "Info.plist")
    app.translations = [
      .init("en-GB", ["NSContactsUsageDescription": .init("TODO", in: "en-GB.lproj")]),
      .init("de", ["NSContactsUsageDescription": .init("TODO", in: "de.lproj")]),
    ]
    // Nobody sees a translation of a key that is not there.
    app.translations[1].sentences["NSSiriUsageDescription"] = .init("", in: "de.lproj")
    let findings = found(.weakPurpose, [app])
    #expect(findings.map(\.reason) == [.isEmpty, .isNoText, .isPlaceholder, .isShort(characters: 4)])
    #expect(findings.map(\.language) == [nil, nil, "en-GB", "de"])
    #expect(findings.map(\.text) == [" ", nil, "TODO", "TODO"])
    #expect(findings.last?.file == "de.lproj")
  }

  @Test("The same text for several keys is one finding; an older key may have the text of its successor")
  func repeated() {
    var app = AppPurposes(file: "a")
    let keys = ["NSCameraUsageDescription", "NSContactsUsageDescription", "NSMotionUsageDescription"]
    for key in keys { app.sentences[key] = .init(Self.good, in: "a") }
    #expect(found(.weakPurpose, [app]).map(\.key) == [keys[0]])
    #expect(found(.weakPurpose, [app]).map(\.reason) == [.isRepeated(keys: Array(keys.dropFirst()))])
    app.sentences = [:]
    for key in ["NSCalendarsUsageDescription", "NSCalendarsFullAccessUsageDescription"] {
      app.sentences[key] = .init(Self.good, in: "a")
    }
    #expect(found(.weakPurpose, [app]).isEmpty)
    // The same text in two languages is no repetition.
    app.translations = [.init("de", app.sentences)]
    #expect(found(.weakPurpose, [app]).isEmpty)
  }

  @Test("An old key beside its successor is named if the app runs on no older system")
  func deprecated() {
    var app = app(["NSCalendarsUsageDescription", "NSCalendarsFullAccessUsageDescription"])
    #expect(found(.deprecatedKey, [app]).isEmpty)
    app.oldestSystem = 16
    #expect(found(.deprecatedKey, [app]).isEmpty)
    app.oldestSystem = 17
    let reason = PurposeFinding.Reason.isDeprecated(since: "iOS 17", by: "NSCalendarsFullAccessUsageDescription")
    #expect(found(.deprecatedKey, [app]).map(\.reason) == [reason])
    #expect(found(.deprecatedKey, [app]).map(\.key) == ["NSCalendarsUsageDescription"])
    (app.system, app.oldestSystem) = (.macOS, 13)
    #expect(found(.deprecatedKey, [app]).isEmpty)
    app.oldestSystem = 14
    #expect(found(.deprecatedKey, [app]).count == 1)
    app.system = .other
    #expect(found(.deprecatedKey, [app]).isEmpty)
  }

  @Test("An old key without its successor is named whatever the oldest system")
  func lacking() {
    let reason = PurposeFinding.Reason.lacksSuccessor(since: "iOS 13", key: "NSBluetoothAlwaysUsageDescription")
    #expect(found(.deprecatedKey, [app(["NSBluetoothPeripheralUsageDescription"])]).map(\.reason) == [reason])
    // Write-only access is a successor of the old calendar key too.
    let calendars = app(["NSCalendarsUsageDescription", "NSCalendarsWriteOnlyAccessUsageDescription"])
    #expect(found(.deprecatedKey, [calendars]).isEmpty)
  }

  @Test("Languages without a text are named; a region takes the text of its language")
  func untranslated() {
    var app = app(["NSCameraUsageDescription", "NSContactsUsageDescription"])
    let text = AppPurposes.Sentence("Um Belege zu scannen.", in: "de.lproj")
    app.translations = [
      .init("de", ["NSCameraUsageDescription": text]), .init("de-AT"), .init("en-GB"), .init("fr"), .init("zh-Hans"),
    ]
    let findings = found(.missingTranslation, [app])
    #expect(findings.map(\.key) == ["NSCameraUsageDescription", "NSContactsUsageDescription"])
    #expect(
      findings.map(\.reason)
        == [
          .isUntranslated(languages: ["fr", "zh-Hans"]), .isUntranslated(languages: ["de", "de-AT", "fr", "zh-Hans"]),
        ])
    // In Hong Kong and Taiwan one writes as in zh-Hant, on the mainland and in Singapore as in zh-Hans.
    var chinese = self.app(["NSCameraUsageDescription"])
    let reason = ["NSCameraUsageDescription": text]
    chinese.translations = [
      .init("zh-Hant", reason), .init("zh-HK"), .init("zh-TW"), .init("zh-SG"), .init("zh-Hant-MO"),
    ]
    #expect(found(.missingTranslation, [chinese]).map(\.reason) == [.isUntranslated(languages: ["zh-SG"])])
    app.untranslatable = ["NSCameraUsageDescription"]
    #expect(found(.missingTranslation, [app]).map(\.key) == ["NSContactsUsageDescription"])
    app.developmentLanguage = "fr"
    #expect(
      found(.missingTranslation, [app]).map(\.reason) == [
        .isUntranslated(languages: ["de", "de-AT", "en-GB", "zh-Hans"])
      ])
  }

  // MARK: - Code

  private func code(_ calls: [(String, [String])], mentioned: Set<String> = []) -> AppCode {
    var code = AppCode(folders: ["App"])
    code.calls = calls.enumerated().map { AppCode.Call($1.0, in: "App/A.swift", line: $0 + 1, $1.1) }
    code.mentioned = mentioned
    code.recognised = ["camera", "microphone", "photo_library", "photo_library_add", "motion", "reminders"]
    return code
  }

  private func checks(_ asked: Set<String>, _ code: AppCode, _ keys: [String]) -> [String] {
    PurposeCheck.candidates([app(keys)], asked: asked, code: code).filter { $0.leftOut == nil }
      .map { "\($0.check.rawValue) \($0.permission ?? "")" }
  }

  @Test("Log and code are compared where both know the permission, with names that logs use for others")
  func codeAndLog() {
    let camera = ["NSCameraUsageDescription"]
    let scan = code([("requestAccess", ["camera"])])
    #expect(checks(["camera"], scan, camera).isEmpty)
    #expect(
      checks(["motion"], scan, camera + ["NSMotionUsageDescription"]) == ["not_in_code motion", "not_logged camera"])
    // Nothing was logged, so that nothing can be compared.
    #expect(checks([], scan, camera).isEmpty)
    // The call is not recognised, or the code may ask for it in other ways.
    #expect(checks(["camera", "bluetooth"], scan, camera + ["NSBluetoothAlwaysUsageDescription"]).isEmpty)
    #expect(
      checks(
        ["camera", "motion"], code(scan.calls.map { ($0.symbol, $0.permissions) }, mentioned: ["motion"]),
        camera + ["NSMotionUsageDescription"]
      ).isEmpty)
    // A log may name the neighbour.
    let photos = code([("UIImageWriteToSavedPhotosAlbum", ["photo_library_add"])])
    #expect(checks(["photo_library"], photos, ["NSPhotoLibraryAddUsageDescription"]).isEmpty)
    // Which of the two is asked for is not known.
    let either = code([("requestAccess", ["camera", "microphone"])])
    #expect(checks(["camera"], either, camera + ["NSMicrophoneUsageDescription"]).isEmpty)
  }

  @Test("Whether a key is needed is decided by the log and the code, as far as each knows")
  func evidence() {
    func reasons(_ asked: Set<String>, _ code: AppCode?, _ key: String) -> [PurposeFinding.Reason] {
      PurposeCheck.candidates([app([key])], asked: asked, code: code).compactMap { candidate in
        guard candidate.check == .unusedPurpose, case .purpose(let finding) = candidate.detail else { return nil }
        return finding.reason
      }
    }
    let scan = code([("requestAccess", ["camera"])])
    #expect(reasons([], scan, "NSMotionUsageDescription") == [.isUnused(in: .code)])
    #expect(reasons(["camera"], scan, "NSMotionUsageDescription") == [.isUnused(in: .logAndCode)])
    #expect(reasons(["camera"], nil, "NSMotionUsageDescription") == [.isUnused(in: .log)])
    #expect(reasons(["camera"], scan, "NSSiriUsageDescription") == [.isUnused(in: .log)])
    #expect(reasons([], scan, "NSSiriUsageDescription").isEmpty)
    #expect(reasons(["motion"], scan, "NSCameraUsageDescription").isEmpty)
    #expect(reasons([], nil, "NSMotionUsageDescription").isEmpty)
  }

  @Test("Code that may ask is a note, if nothing that it may ask for has a key or is asked for")
  func perhaps() {
    var scan = code([("requestAccess", ["camera", "microphone"])])
    scan.uses = [AppCode.Call("CMPedometer", in: "App/B.swift", line: 2, ["motion"])]
    func reasons(_ keys: [String], asked: Set<String> = [], _ code: AppCode, unknown: [String] = []) -> [[String]] {
      var app = app(keys)
      app.unknown = unknown
      return PurposeCheck.candidates([app], asked: asked, code: code).compactMap { candidate in
        guard candidate.check == .mayAsk, case .purpose(let finding) = candidate.detail,
          case .isPerhapsNeeded(let permissions) = finding.reason
        else { return nil }
        return permissions
      }
    }
    #expect(reasons([], scan) == [["camera", "microphone"], ["motion"]])
    #expect(reasons(["NSMicrophoneUsageDescription"], scan) == [["motion"]])
    #expect(reasons(["NSMotionUsageDescription"], asked: ["camera"], scan) == [])
    #expect(reasons([], scan, unknown: ["a file is not there"]) == [])
  }

  @Test(
    "A name that is almost a key is a warning, if the key is not there",
    arguments: [
      ("NSCameraUseDescription", "NSCameraUsageDescription"),
      ("NSContactUsageDescription", "NSContactsUsageDescription"),
      ("nscamerausagedescription", "NSCameraUsageDescription"),
      ("NSCameraUsageDescription ", "NSCameraUsageDescription"),
      ("NSMicrophoneUsageDescripton", "NSMicrophoneUsageDescription"), ("NFCReaderUsage", nil),
      ("NSCameraUsageDescription", nil), ("NSCameraUsageDescription~ipad", nil), ("OSBundleUsageDescription", nil),
      ("NSHealthRequiredReadAuthorizationTypeIdentifiers", nil), ("CFBundleDescription", nil), ("NSUsage", nil),
    ] as [(String, String?)])
  func misspelled(name: String, meant: String?) {
    var app = app([])
    app.noteMisspelled([name, "CFBundleName"])
    #expect(app.misspelled[name] == meant)
    let reasons = found(.missingPurpose, [app]).map(\.reason)
    #expect(reasons == meant.map { [.isMisspelled(meant: $0)] } ?? [])
    if let meant { app.sentences[meant] = .init(Self.good, in: "Info.plist") }
    #expect(found(.missingPurpose, [app]).isEmpty)
  }

  @Test("The same fault in several languages is one finding; an empty translation is a missing one")
  func languagesOfAFault() {
    var app = AppPurposes(file: "Info.plist")
    let key = "NSCameraUsageDescription"
    app.sentences = [key: .init("We need access to the camera.", in: "Info.plist")]
    app.translations = [
      .init("de", [key: .init("Kamera", in: "de")]),
      .init("en-GB", [key: .init("We need access to the camera.", in: "en-GB")]),
      .init("fr", [key: .init("Photos", in: "fr", line: 3)]), .init("it", [key: .init(" ", in: "it")]),
    ]
    let weak = found(.weakPurpose, [app])
    #expect(weak.map(\.language) == [nil, "de"])
    #expect(weak.map { $0.translations.map(\.language) } == [["en-GB"], ["fr"]])
    #expect(weak.last?.translations.first?.line == 3)
    #expect(found(.missingTranslation, [app]).map(\.reason) == [.isUntranslated(languages: ["it"])])
    app.sentences = [key: .init("", in: "Info.plist")]
    #expect(found(.weakPurpose, [app]).contains { $0.reason == .isEmpty && $0.translations.map(\.language) == ["it"] })
  }
}
