// A made-up audit with every check in it, and one whose names are as hostile as an export or a property list may bring them.

import PermissionAnalysis
import PermissionEvents

@testable import ReportRendering

enum SampleAudit {
  static let asOf = SampleHistories.monday + 70 * millisecondsPerDay
  static let file = "App/Info.plist"

  static func report(
    _ findings: [AuditFinding], users: Int64 = 12_345, infoPlists: [String] = [file], code: AppCode? = nil,
    isOfEmptyLog: Bool = false,
    _ change: (inout AuditQuestion) -> Void = { _ in }
  ) -> AuditReport {
    var question = AuditQuestion(asOf: asOf, logStart: SampleHistories.monday)
    change(&question)
    return AuditReport(
      findings, question, users: users, infoPlists: infoPlists, code: code, isOfEmptyLog: isOfEmptyLog)
  }

  static let all = report(practice + data + purposes + leftOut, code: code)
  static let clean = report(leftOut, infoPlists: [])

  static let practice: [AuditFinding] = [
    AuditFinding(
      .coldAsk, permission: "camera", users: 1240, of: 2000, cost: Estimate(0.21, low: 0.17, high: 0.25),
      detail: .rates(with: Estimate(0.31, low: 0.29, high: 0.34), without: Estimate(0.52, low: 0.49, high: 0.55))),
    AuditFinding(
      .coldAsk, permission: "notifications", users: 3000, of: 12_000, cost: Estimate(0.02, low: -0.01, high: 0.05),
      detail: .rates(with: Estimate(0.4, low: 0.38, high: 0.42), without: Estimate(0.42, low: 0.4, high: 0.44)),
      examples: ["u-17", "u-29", "<b>\u{202E}\u{1B}[2J"]),
    AuditFinding(
      .coldAsk, permission: "health_read", users: 40, of: 300, cost: Estimate(-0.2, low: -0.3, high: -0.1),
      detail: .rates(with: Estimate(0.6, low: 0.5, high: 0.7), without: Estimate(0.4, low: 0.35, high: 0.45))),
    AuditFinding(
      .coldAsk, severity: .note, permission: "contacts", users: 90, of: 90, detail: .notLogged(.explanationShown)),
    AuditFinding(
      .askedAtOnce, permission: "notifications", users: 5000, of: 9000, cost: Estimate(0.05, low: nil, high: nil),
      detail: .rates(with: Estimate(0.4), without: nil)),
    AuditFinding(.severalAtOnce, users: 700, of: 4100, cost: Estimate(0.08, low: 0.03, high: 0.13)),
    AuditFinding(.askedAfterNotNow, permission: "notifications", users: 100, of: 900),
    AuditFinding(.askedAfterDenial, permission: "camera", users: 30, of: 640),
    AuditFinding(.pestering, permission: "location_always", users: 31, of: 812),
    AuditFinding(.noWayBack, permission: "microphone", users: 412, of: 412),
    AuditFinding(
      .noWayBack, severity: .note, permission: "siri", users: 50, of: 50, detail: .notLogged(.settingsPromptShown)),
    AuditFinding(.settingsPromptIgnored, permission: "tracking", users: 99, of: 101),
    AuditFinding(.notRechecked, permission: "camera", users: 600, of: 1000),
    AuditFinding(.partialLeft, permission: "photo_library", users: 210, of: 300),
    AuditFinding(.partialLeft, permission: "notifications", users: 45, of: 60),
    AuditFinding(.partialLeft, permission: "own_permission", users: 45, of: 60),
    AuditFinding(
      .askedWithoutDialog, permission: "tracking", users: 640, of: 2000, detail: .prompts(platform: "ios")),
    AuditFinding(.contradictedAnswers, permission: "tracking", users: 45, of: 200),
    AuditFinding(.mostOnlyPick, permission: "photo_library", users: 410, of: 500),
  ]

  static let data: [AuditFinding] = [
    AuditFinding(.answersWithoutScreens, permission: "reminders", users: 60, of: 900),
    AuditFinding(.oneSidedAnswers, permission: "bluetooth", users: 57, detail: .answers(granted: 57, denied: 0)),
    AuditFinding(.oneSidedAnswers, permission: "speech", users: 1, detail: .answers(granted: 0, denied: 70)),
    AuditFinding(.noActivity),
    AuditFinding(.sharedID, users: 2, of: 12_345, detail: .eventsOfUsers(median: 4, most: 81_233)),
    AuditFinding(.feedStopped, detail: .stopped(.kind(.statusChecked), last: 20_500, daysSince: 29, longestGap: 2)),
    AuditFinding(.feedStopped, detail: .stopped(.platform("ipados"), last: 20_500, daysSince: 1, longestGap: 0)),
    AuditFinding(.feedStopped, detail: .stopped(.version("3.1"), last: 20_510, daysSince: 19, longestGap: 1)),
    AuditFinding(.eventsMissing, users: 1821, of: 36_401, detail: .missing(.version("1.2.0"))),
    AuditFinding(.eventsMissing, users: 900, of: 15_069, detail: .missing(.week(CalendarWeek(index: 2931)))),
    AuditFinding(.eventsMissing, users: 20, of: 1500, detail: .missing(.version(""))),
    AuditFinding(.eventsMissing, severity: .note, users: 5200, of: 90_000),
    AuditFinding(.clockAhead, users: 130, of: 90_000),
    AuditFinding(
      .unusualIngest,
      detail: .unusual(
        UnusualIngest(
          time: 1_773_547_200_000, measure: "denied notifications",
          sentence:
            "0 of 312 answers of notifications are denials (0.0 %); 45.0 % are usual, by 28 days before. Check that denials are still exported."
        ))),
    AuditFinding(.manyConflicts, users: 3000, of: 96_000), AuditFinding(.identityChanges, users: 656, of: 8000),
    AuditFinding(.loggedTogether, permission: "notifications", detail: .prompts(platform: "ios")),
    AuditFinding(
      .assignedLate, permission: "notifications", users: 157, of: 500, detail: .experiment("push_copy")),
    AuditFinding(
      .variantMismatch, permission: "notifications", users: 20, of: 500, detail: .experiment("push_copy")),
    AuditFinding(.wrongVariant, users: 38, of: 80, detail: .rule(experiment: "push_copy", version: "3.1")),
  ]

  static let code: AppCode = {
    var code = AppCode(folders: ["App"])
    code.files = 312
    code.leftOut = ["App/Pods", "App/AppTests"]
    code.calls = [
      AppCode.Call("requestFullAccessToReminders", in: "App/Lists.swift", line: 42, ["reminders"]),
      AppCode.Call("requestAccess", in: "App/Scan.swift", line: 7, ["camera", "microphone"], isConditional: true),
    ]
    return code
  }()

  static let purposes: [AuditFinding] = [
    purpose(.missingPurpose, "camera", "NSCameraUsageDescription", .isMissing(since: nil)),
    purpose(.missingPurpose, "calendars", "NSCalendarsFullAccessUsageDescription", .isMissing(since: "iOS 17")),
    purpose(
      .notKnown, "face_id", "NSFaceIDUsageDescription",
      .isNotKnown(isAsked: true, why: "Pods/App.xcconfig is not there, and may have more settings")),
    purpose(
      .unusedPurpose, "contacts", "NSContactsUsageDescription", text: "To find your friends.", .isUnused(in: .log)),
    AuditFinding(
      .mayAsk, permission: "camera",
      detail: .purpose(
        PurposeFinding(
          file: file, key: "NSCameraUsageDescription",
          calls: [AppCode.Call("AVCaptureSession", in: "App/Scan.swift", line: 7, ["camera", "microphone"])],
          .isPerhapsNeeded(permissions: ["camera", "microphone"])))),
    purpose(
      .missingPurpose, "contacts", "NSContactsUsageDescription", .isElsewhere(file: "Share/Info.plist")),
    purpose(
      .missingPurpose, "tracking", "NSUserTrackingUseDescription",
      .isMisspelled(meant: "NSUserTrackingUsageDescription")),
    AuditFinding(.notInCode, permission: "motion", detail: .code([])),
    AuditFinding(.notLogged, permission: "reminders", detail: .code(Array(code.calls.prefix(1)))),
    AuditFinding(
      .missingPurpose, permission: "motion",
      detail: .purpose(
        PurposeFinding(
          file: file, key: "NSMotionUsageDescription",
          calls: [
            AppCode.Call("queryPedometerData", in: "App/Steps.swift", line: 12, ["motion"]),
            AppCode.Call("queryPedometerData", in: "App/Week.swift", line: 80, ["motion"], isConditional: true),
          ], .isMissing(since: nil)))),
    purpose(.weakPurpose, "siri", "NSSiriUsageDescription", .isEmpty),
    purpose(.weakPurpose, "motion", "NSMotionUsageDescription", text: "TODO", .isPlaceholder),
    purpose(
      .weakPurpose, "microphone", "NSMicrophoneUsageDescription", language: "de",
      text: "This app needs\n\n access to the microphone", .saysNoReason),
    purpose(.weakPurpose, "homekit", "NSHomeKitUsageDescription", text: "Lights", .isShort(characters: 6)),
    purpose(
      .weakPurpose, "speech", "NSSpeechRecognitionUsageDescription",
      text: String(repeating: "For the app. ", count: 30),
      .isRepeated(keys: ["NSAppleMusicUsageDescription", "NSFaceIDUsageDescription"])),
    purpose(
      .missingPurpose, "bluetooth", "NSBluetoothAlwaysUsageDescription",
      .isNeededBy("UIBackgroundModes bluetooth-central")),
    purpose(.weakPurpose, "contacts", "NSContactsUsageDescription", .isNoText),
    purpose(
      .deprecatedKey, "bluetooth", "NSBluetoothPeripheralUsageDescription",
      .lacksSuccessor(since: "iOS 13", key: "NSBluetoothAlwaysUsageDescription")),
    purpose(
      .deprecatedKey, "reminders", "NSRemindersUsageDescription",
      .isDeprecated(since: "iOS 17", by: "NSRemindersFullAccessUsageDescription")),
    purpose(
      .missingTranslation, "camera", "NSCameraUsageDescription", .isUntranslated(languages: ["de", "fr", "ja"])),
  ]

  static let leftOut: [AuditFinding] = [
    AuditFinding(.coldAsk, permission: "face_id", users: 2, of: 400, leftOut: .belowThreshold),
    AuditFinding(.pestering, permission: "face_id", users: 3, of: 12, leftOut: .tooFew),
    AuditFinding(.partialLeft, permission: "face_id", users: 0, of: 0, leftOut: .nothingToSee),
    AuditFinding(
      .oneSidedAnswers, permission: "camera", users: 800, detail: .answers(granted: 500, denied: 300),
      leftOut: .belowThreshold),
    AuditFinding(.unusualIngest, leftOut: .nothingToSee),
    AuditFinding(.feedStopped, leftOut: .nothingToSee), AuditFinding(.clockAhead, leftOut: .nothingToSee),
    AuditFinding(.manyConflicts, users: 1, of: 90_000, leftOut: .belowThreshold),
    AuditFinding(.identityChanges, leftOut: .nothingToSee),
    AuditFinding(
      .oneSidedAnswers, permission: "siri", users: 49, detail: .answers(granted: 49, denied: 0), leftOut: .tooFew),
    AuditFinding(.feedStopped, detail: .notLookedAt(.version), leftOut: .tooMany),
    AuditFinding(.feedStopped, detail: .moreStopped(36_000), leftOut: .tooMany),
  ]

  static func purpose(
    _ check: AuditCheck, _ permission: String?, _ key: String, language: String? = nil, text: String? = nil,
    _ reason: PurposeFinding.Reason, file: String = file
  ) -> AuditFinding {
    let finding = PurposeFinding(file: file, key: key, language: language, text: text, reason)
    return AuditFinding(check, permission: permission, detail: .purpose(finding))
  }

  private static func hostileCode(_ name: String) -> AppCode {
    var code = AppCode(folders: [name])
    code.leftOut = [name]
    code.calls = [AppCode.Call("requestAccess", in: name, line: 1, [name, name])]
    return code
  }

  /// The same name in every place that takes one.
  static func hostile(_ name: String) -> AuditReport {
    let reasons: [PurposeFinding.Reason] = [
      .isMissing(since: name), .isNotKnown(isAsked: false, why: name), .isUnused(in: .log), .isPlaceholder,
      .saysNoReason,
      .isShort(characters: 3),
      .isRepeated(keys: [name, name]), .isDeprecated(since: name, by: name), .isUntranslated(languages: [name]),
      .isNeededBy(name), .isNoText, .isMisspelled(meant: name), .isElsewhere(file: name),
      .isPerhapsNeeded(permissions: [name, name]),
      .lacksSuccessor(since: name, key: name),
    ]
    return report(
      reasons.map { purpose(.weakPurpose, name, name, language: name, text: name, $0, file: name) }
        + [
          AuditFinding(.coldAsk, permission: name, users: 40, of: 50, examples: [name]),
          AuditFinding(.feedStopped, detail: .stopped(.platform(name), last: 20_500, daysSince: 30, longestGap: 0)),
          AuditFinding(.feedStopped, detail: .stopped(.version(name), last: 20_500, daysSince: 30, longestGap: 1)),
          AuditFinding(.pestering, permission: name, users: 0, of: 50, leftOut: .belowThreshold),
          AuditFinding(.notLogged, permission: name, detail: .code([AppCode.Call("a", in: name, line: 1, [name])])),
        ], infoPlists: [name], code: hostileCode(name)
    ) { $0.permission = name }
  }

  /// A finding of each of very many permissions.
  static func many(_ count: Int) -> AuditReport {
    report(
      (0..<count).flatMap { number in
        [
          AuditFinding(.coldAsk, permission: "permission_\(number)", users: 40, of: 50),
          AuditFinding(.pestering, permission: "permission_\(number)", users: 0, of: 50, leftOut: .belowThreshold),
        ]
      })
  }
}
