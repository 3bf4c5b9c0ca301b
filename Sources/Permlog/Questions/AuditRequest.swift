// Audits: their requests, and their answers from a log, sums and an app's Info.plists.

import EventLog
import PermissionAnalysis
import PermissionEvents

/// The request of an audit: how the app asks, by a log and by the app's Info.plists. The default is all of the log.
///
/// For example:
///
/// ```swift
/// var request = AuditRequest()
/// request.thresholds[.coldAsk] = AuditThreshold(percent: "25")
/// let errors = try log.audit(request).findings.filter { $0.severity == .error }
/// ```
public struct AuditRequest: QuestionRequest, FilteredRequest, Hashable {
  /// The response window and the follow-up have no meaning for an audit, whose durations are fixed.
  public var scope = QuestionScope()
  /// First day of the exposures for findings about how the app asks, in the zone; nil for the first day of the log.
  public var from: CivilDate?
  public var to: CivilDate?
  /// Conditions on those exposures; all of them hold.
  public var conditions: [ExposureCondition] = []
  /// The time from which the log has all activity, in the zone; nil for its oldest event. Sums do not know the oldest
  /// event: without this time, the first use of the app is known only for users with an install in the log.
  public var logStart: Moment?
  /// The share from which a check is a finding, for checks that have such a share.
  public var thresholds: [AuditCheck: AuditThreshold] = [:]
  /// How many user ids are given as examples of a finding, 0 to 100.
  public var examples = 0
  /// Only findings of this permission, and findings without a permission; nil for all.
  public var permission: String?
  /// Only these checks; nil for all. The answer says how many others were not looked at.
  public var only: [AuditCheck]?
  public var infoPlists: [String] = []
  /// Folders with the app's Swift and Objective-C, which are searched for calls that ask.
  public var sources: [String] = []
  /// The content of those Info.plists and folders, after they have been read.
  private var apps: [AppPurposes] = []
  private var code: AppCode?

  public static let mostExamples = AuditQuestion.mostExamples

  public init() {}

  public static let fields = Field.list(
    Field.clock, Field.filter,
    [
      .permission(
        \.permission, isCounted: false, "Only findings of this permission, and findings without a permission."),
      Field(
        .only, \.only, .checks, "ids",
        "Look only at these checks, joined by commas, like feed_stopped,no_activity. The output says how many others were not looked at."
      ),
      Field(
        .infoPlist, \.infoPlists, .files, "file",
        "The app's Info.plist, as a file, in a built .app or .ipa, or in an .xcodeproj, an .xcworkspace or their folder, with all targets; repeat it for extensions and further targets. Translations next to it are read too."
      ),
      Field(
        .sourceCode, \.sources, .files, "dir",
        "A folder with the app's Swift or Objective-C, or a file of it: calls that ask are compared with the Info.plist and the log. Libraries in it, like Pods, and tests are left out."
      ),
      Field(
        .thresholds, \.thresholds, .thresholds, "id=percent",
        "Report a finding from this share of users, in per cent, like cold_ask=25; repeat it for several: \(namedThresholds)."
      ),
      Field(
        .examples, \.examples, .number(0...mostExamples, isCounted: true), "n", counted: .examples,
        as: "number of examples", "Name this many users of each finding, 0 to \(mostExamples) (default: 0)."),
      .logStart(\.logStart),
    ])

  /// Checks with a share, each with its usual share.
  static let namedThresholds = AuditCheck.allCases.compactMap { check in
    check.threshold.map { "\(check.rawValue) (\($0.percent))" }
  }.joined(separator: ", ")
}

extension AuditRequest: CountedRequest {
  public typealias Answer = AuditReport

  public static let kind = Question.Kind.audit

  public func checkFields() throws(PermlogError) {
    try checkDays()
    guard (0...Self.mostExamples).contains(examples) else {
      throw .usage("a finding can have 0 to \(Self.mostExamples) users as examples, not \(examples)", .examples)
    }
    let fixed = thresholds.keys.filter { $0.threshold == nil }.map(\.rawValue).min()
    if let fixed {
      let others = AuditCheck.allCases.filter { $0.threshold != nil }.map(\.rawValue).joined(separator: ", ")
      throw .usage("\(fixed) is reported whenever it occurs; these have a share: \(others)", .thresholds)
    }
    try checkOnly()
  }

  /// Throws for fields that have no effect on the checks that are looked at, and for checks that need a file which was
  /// not given: an audit must not look clean because nothing was looked at.
  package func checkOnly() throws(PermlogError) {
    guard let only else { return }
    guard !only.isEmpty else { throw .usage("it needs ids of checks", .only) }
    for check in only {
      guard let need = unmetNeed(of: check) else { continue }
      throw .usage("\(check.rawValue) needs \(need). Give one, or leave \(check.rawValue) out", .only)
    }
    let groups = Set(only.map(\.group))
    if !infoPlists.isEmpty, !groups.contains(.infoPlist) {
      throw .usage("these checks do not use the Info.plist. Leave it out, or add a check like missing_purpose", .only)
    }
    if !sources.isEmpty, groups.isDisjoint(with: [.infoPlist, .code]) {
      throw .usage("these checks do not use the code. Leave it out, or add a check like missing_purpose", .only)
    }
    if let other = thresholds.keys.filter({ !only.contains($0) }).map(\.rawValue).min() {
      throw .usage("\(other) has a threshold, but is not one of these checks", .only)
    }
  }

  /// What a check needs and was not given.
  package func unmetNeed(of check: AuditCheck) -> String? {
    switch check.group {
    case .infoPlist:
      infoPlists.isEmpty ? "an Info.plist" : check == .mayAsk && sources.isEmpty ? "the app's code, a folder" : nil
    case .code: sources.isEmpty ? "the app's code, a folder" : nil
    case .practice, .data: nil
    }
  }

  mutating func readFiles() throws(PermlogError) {
    apps = try AppPurposes.all(infoPlists)
    code = sources.isEmpty ? nil : try AppCode(sources, apps)
  }

  /// What the app declares, and what its code asks for, without a log.
  ///
  /// For example:
  ///
  /// ```swift
  /// var request = AuditRequest()
  /// request.infoPlists = [project]
  /// request.sources = [folder]
  /// let report = try request.auditOfApp()
  /// let missing = report.findings.filter { $0.check == .missingPurpose }
  /// ```
  /// - Throws: as ``PermissionLog/audit(_:onUnknown:)``; `usage` if there is no Info.plist, or if the request has fields for a log.
  public func auditOfApp() throws(PermlogError) -> AuditReport {
    try checkFields()
    guard !infoPlists.isEmpty else {
      throw .usage("without a log, an audit needs an app: its Info.plist, its project or the built app", .infoPlist)
    }
    if let check = only?.first(where: { $0.group != .infoPlist }) {
      throw .usage("\(check.rawValue) needs a log. Give one, or leave \(check.rawValue) out", .only)
    }
    if let permission, !PermissionCode.taxonomy.contains(permission) {
      throw .usage(
        "there is no permission \(permission); use one of \(PermissionCode.taxonomy.joined(separator: ", "))",
        .permission)
    }
    let ofLog: [(PermlogError.Argument, Bool)] = [
      (.from, from != nil), (.to, to != nil), (.conditions, !conditions.isEmpty), (.logStart, logStart != nil),
      (.thresholds, !thresholds.isEmpty), (.examples, examples > 0), (.asOf, scope.asOf != nil),
    ]
    if let field = ofLog.first(where: \.1) { throw .usage("it has no effect without a log", field.0) }
    var request = self
    try request.readFiles()
    // No moment and no zone have a part in it.
    var question = AuditQuestion(asOf: 0, zone: .utc)
    (question.permission, question.only) = (permission, only.map { Set($0) })
    return AuditReport(ofApps: request.apps, request.code, question)
  }

  func asked(of log: AskedLog) throws(PermlogError) -> AuditQuestion {
    let (windows, zone) = try windows(log, since: logStart)
    var question = AuditQuestion(asOf: windows.asOf, zone: zone, logStart: try logStart?.time(in: zone) ?? log.oldest)
    question.windows.atOnce = scope.atOnce
    (question.from, question.to) = try interval(in: zone)
    question.conditions = conditions
    question.thresholds = thresholds
    question.examples = examples
    question.permission = permission
    question.only = only.map { Set($0) }
    return question
  }

  static func count(_ question: AuditQuestion, _ walk: LogWalk) throws -> AuditSums {
    let origins = SharedOrigins()
    var sums = try walk.fold(question.selection) {
      AuditFold(question, contexts: $0, origins: origins.origins(question.selection, $0))
    }
    // These counts belong to the log and not to users. When sums of parts of the users are added up, they must be
    // included once.
    if walk.hashes.lowerBound == 0, walk.users?.wanted ?? 0 == 0 { sums.ingests = walk.snapshot.ingestTally }
    return sums
  }

  func answer(_ sums: AuditSums, _ question: AuditQuestion, _ source: AnswerSource) throws -> AuditReport {
    try checkOnly()
    return try AuditReport(
      sums, question, apps, code, ingests: try source.snapshot?.judgedIngests(threads: source.threads),
      rules: try source.snapshot?.variantRules(upTo: question.windows.asOf, threads: source.threads),
      pickers: try source.snapshot?.pickerUse(upTo: question.windows.asOf, threads: source.threads),
      completeness: try source.snapshot?.completeness(
        upTo: question.windows.asOf, in: question.zone, threads: source.threads
      ).figures,
      isOfEmptyLog: source.hasNoMoment(scope), reading: source.reading)
  }
}

extension LogSnapshot {
  /// Messages given by rules, computed again; nil if there are none, or if ids of users are hashed.
  fileprivate func variantRules(upTo asOf: Milliseconds?, threads: Int) throws -> [VariantRuleCounts]? {
    guard !hasHashedUsers, hasSurface(where: { VariantRule.isRule($0) }) else { return nil }
    return try fold(VariantRuleFold.selection, threads: threads) { VariantRuleFold($0, upTo: asOf ?? .max) }.rows
  }

  /// What arrived of the events that apps numbered; nil if no row of the log had a number, or if they are damaged.
  func completeness(
    upTo asOf: Milliseconds, in zone: ZoneTable, threads: Int
  ) throws -> (figures: Completeness?, isDamaged: Bool) {
    guard numbersDamage == nil else { return (nil, true) }
    do {
      let figures = try foldNumbers(threads: threads) {
        Completeness($0, upTo: asOf, zone: zone)
      } add: {
        $0.add($1)
      } join: {
        $0 += $1
      }
      return (figures, false)
    } catch let error as LogError where error.code == .damaged {
      // All else can be answered without them, and `verify` says what is wrong.
      return (nil, true)
    }
  }

  /// Users of pickers by permission; empty without an event of one.
  fileprivate func pickerUse(upTo asOf: Milliseconds?, threads: Int) throws -> [PickerUse] {
    guard has(.pickerUsed) else { return [] }
    return try fold(PickerFold.selection, threads: threads) { PickerFold($0, upTo: asOf ?? .max) }.rows
  }
}

extension PermissionLog {
  /// Findings about how the app asks, from the log and the app's Info.plists. An empty log has no findings of its own.
  /// - Parameter onUnknown: called with kinds, permissions and columns of a later version, which are left out.
  /// - Throws: `usage` if the log does not have the permission or a condition's value, the interval is empty, or a
  ///   check with a threshold has no share.
  public func audit(
    _ request: AuditRequest = AuditRequest(), onUnknown: ((UnknownVocabulary) -> Void)? = nil
  ) throws(PermlogError) -> AuditReport { try request.answer(of: self, onUnknown: onUnknown) }
}
