// The sentences of findings, and the difference in the grant rate that each is seen with.

import PermissionAnalysis
import PermissionEvents

enum AuditSentences {
  /// Returns the whole sentence: the permission, the finding and, if known, the difference in the grant rate.
  static func text(_ finding: AuditFinding) -> String {
    let subject = finding.permission.map { AuditQuote.name($0) + ": " } ?? ""
    let cost = AuditCosts.sentence(finding).map { " \($0) \(AuditCosts.observation)" } ?? ""
    return subject + body(finding) + cost
  }

  /// In a line: without the difference.
  static func line(_ finding: AuditFinding, _ names: RowNames) -> String {
    let subject = finding.permission.map { names.title($0) + ": " } ?? ""
    return "Audit, \(finding.severity.name): " + subject + body(finding)
  }

  /// The name of a finding in a list. The title of the list names the check.
  static func subject(_ finding: AuditFinding, _ names: RowNames = .codes) -> String {
    if let permission = finding.permission { return names.title(permission) }
    switch finding.detail {
    case .stopped(let feed, _, _, _): return feed.name
    case .missing(.version(let name)): return name.isEmpty ? "no version" : name
    case .missing(.week(let week)): return week.text
    case .notLookedAt(.platform): return "all platforms"
    case .notLookedAt(.version): return "all versions"
    case .moreStopped: return "others"
    default: return finding.check.words.subject
    }
  }

  /// The sentence without its permission.
  static func body(_ finding: AuditFinding) -> String {
    if let reason = finding.leftOut, !saysNumbers(finding) { return notFound(finding, reason) }
    let words = finding.check.words.sentence.text(finding)
    guard case .notLogged(let kind) = finding.detail else { return words }
    return words + " Either there are none, or the app does not log them: the log has no \(kind.name) events."
  }

  /// Whether a check without a finding still has a share.
  private static func saysNumbers(_ finding: AuditFinding) -> Bool {
    finding.share != nil && finding.check != .sharedID
  }

  private static func notFound(_ finding: AuditFinding, _ reason: AuditFinding.LeftOut) -> String {
    switch reason {
    case .belowThreshold: "Not found."
    case .tooFew:
      "Too few \(finding.check == .oneSidedAnswers ? "answers" : "users") to judge: fewer than \(finding.check.least)."
    case .nothingToSee: "No data to judge this by."
    case .tooMany: tooMany(finding)
    }
  }

  /// ` on ios`; nothing for prompts without a platform.
  static func platform(_ finding: AuditFinding) -> String {
    guard case .prompts(let name?) = finding.detail else { return "" }
    return " on " + AuditQuote.name(name)
  }

  static func rule(_ finding: AuditFinding) -> String {
    guard case .rule(let experiment, let version) = finding.detail else { return "" }
    let app = version.isEmpty ? "Apps without a version" : "Version \(version) of the app"
    return "\(app) gave \(finding.shareText) of the users assigned to \(experiment) by a rule (\(finding.countsText)) "
      + "another variant than the rule."
  }

  static func experiment(_ finding: AuditFinding) -> String {
    guard case .experiment(let name) = finding.detail else { return "an experiment" }
    return AuditQuote.name(name)
  }

  /// Returns the sentence for data that is too much to check or to list.
  private static func tooMany(_ finding: AuditFinding) -> String {
    switch finding.detail {
    case .notLookedAt(let names):
      let (several, one) = names == .version ? ("Versions", "a version") : ("Platforms", "a platform")
      return
        "\(several) were not checked: the log has more than \(NumberText.count(AuditLimits.daysOfFeeds)) pairs of "
        + "\(one) and a day."
    case .moreStopped(let count):
      return
        "\(NumberText.count(count)) more platforms and versions stopped sending events; only the latest to stop are listed."
    case .moreExperiments(let count):
      return
        "\(NumberText.count(count)) more experiments and permissions have this finding; those with most users are listed."
    default: return "Too much data to check."
    }
  }

  static func answers(_ finding: AuditFinding) -> String {
    guard case .answers(let granted, let denied) = finding.detail else { return "Answers are of one kind only." }
    let (these, other) = granted > 0 ? ("grants", "denial") : ("denials", "grant")
    return "All \(AuditNumbers.count(max(granted, denied))) answers are \(these); there is not one \(other)."
  }

  static func shared(_ finding: AuditFinding) -> String {
    let users =
      "\(finding.countsText) users have more than \(NumberText.count(1000)) times the events of the median user"
    guard case .eventsOfUsers(let median, let most) = finding.detail else { return users + "." }
    return users
      + " (\(AuditNumbers.counted(median, "event"))); the largest has \(AuditNumbers.count(most)). Many installs seem to share one id."
  }

  static func unusual(_ finding: AuditFinding) -> String {
    guard case .unusual(let ingest) = finding.detail else { return "An ingest is unlike those before it." }
    guard let time = ingest.time else { return ingest.sentence }
    return "Ingest of \(Timestamp.text(time)): \(ingest.sentence)"
  }

  static func missing(_ finding: AuditFinding) -> String {
    let whose =
      switch finding.detail {
      case .missing(.version("")): " without a version"
      case .missing(.version(let name)): " of version \(AuditQuote.name(name))"
      case .missing(.week(let week)): " of \(week.text)"
      default: ""
      }
    return
      "\(finding.shareText) of the events\(whose) that the app numbered are missing (\(finding.countsText))"
      + (whose.isEmpty ? ": lost, or not in the export." : ": at least three times the share of the others.")
  }

  static func stopped(_ finding: AuditFinding) -> String {
    guard case .stopped(let feed, let last, let days, let gap) = finding.detail else {
      return "Something stopped sending events."
    }
    let what =
      switch feed {
      case .kind(let kind): "No \(kind.name) event"
      case .platform(let name): "No event of the platform \(AuditQuote.name(name))"
      case .version(let name): "No event of version \(AuditQuote.name(name))"
      }
    let before =
      gap > 0 ? "the longest gap before was \(AuditNumbers.counted(gap, "day"))" : "before that, one came every day"
    return "\(what) after \(DayWords.day(last)), \(AuditNumbers.counted(days, "day")) ago; \(before)."
  }
}

/// The grant rate without a finding minus that with it, among users who were not assigned to either.
enum AuditCosts {
  static let observation = "An observation, not an effect: users asked one way differ from users asked the other way."

  /// `Grant rate 35.6 % (35.3–35.9) at once, 46.4 % (46.2–46.6) later: 10.8 points more later (10.5 to 11.2).`; nil if it is not
  /// known.
  static func sentence(_ finding: AuditFinding) -> String? {
    guard let words = comparison(finding) else { return nil }
    let alone = words.prefix(1).uppercased() + words.dropFirst() + "."
    return rates(finding, AuditNumbers.rate).map { "Grant rate \($0): \(words)." } ?? alone
  }

  /// The same below a row of numbers, without the intervals of the two rates.
  static func note(_ finding: AuditFinding) -> String? {
    guard let words = comparison(finding) else { return nil }
    return rates(finding) { $0.map { NumberText.percent($0.value) } ?? "–" }.map { "grant rate \($0): \(words)" }
  }

  /// What to add if the observation points the other way.
  static func caution(_ findings: [AuditFinding]) -> String? {
    guard findings.first?.check == .coldAsk, findings.contains(where: { ($0.cost?.high ?? 1) < 0 }) else { return nil }
    return
      "Here some permissions are granted more often without an explanation: users who answer \"Not now\" "
      + "count as not granted. Test the text of a screen before you add it."
  }

  private static func comparison(_ finding: AuditFinding) -> String? {
    guard let cost = finding.cost, cost.value.isFinite else { return nil }
    switch (cost.low, cost.high) {
    case (let low?, let high?) where low > 0:
      let way = finding.check.words.groups.map { " " + $0.without } ?? " without it"
      return "\(points(cost.value)) more\(way) (\(number(low)) to \(number(high)))"
    case (let low?, let high?) where high < 0:
      let way = finding.check.words.groups.map { " " + $0.with } ?? " with it"
      return "\(points(-cost.value)) more\(way) (\(number(-high)) to \(number(-low)))"
    case (let low?, let high?):
      return "no clear difference (from \(points(-low)) more to \(number(high)) less)"
    default: return "too few users to see a difference"
    }
  }

  private static func rates(_ finding: AuditFinding, _ text: (Estimate?) -> String) -> String? {
    guard case .rates(let with?, let without?) = finding.detail, let groups = finding.check.words.groups else {
      return nil
    }
    return "\(text(with)) \(groups.with), \(text(without)) \(groups.without)"
  }

  private static func number(_ share: Double) -> String { fixed(share * 100, 1) }
  private static func points(_ share: Double) -> String { number(share) + "\u{A0}points" }
}

// MARK: Sentences about an Info.plist: the key, the problem, and its text

enum AuditPurposes {
  static func sentence(_ purpose: PurposeFinding) -> String {
    let words = words(purpose)
    return words.hasSuffix(".") || words.hasSuffix(".\"") ? words : words + "."
  }

  private static func words(_ purpose: PurposeFinding) -> String {
    let file = AuditQuote.name(purpose.file)
    let key = AuditQuote.name(purpose.key)
    let location = "\(key) in \(file)" + languages(purpose)
    let text = purpose.text.map { ": " + AuditQuote.text($0) } ?? ""
    switch purpose.reason {
    case .isMissing(let since):
      return "\(asker(purpose)), but \(file) has no \(key)" + consequence(purpose) + versions(since, purpose)
    case .isMisspelled(let meant):
      return
        "\(key) in \(file) is no key that the system reads: \(AuditQuote.name(meant)) seems to be meant, and is missing"
    case .isElsewhere(let other):
      return
        "\(asker(purpose)), and of the files only \(AuditQuote.name(other)) has \(key), which is not the app's own: "
        + "if the app itself asks, it needs the key too"
    case .isPerhapsNeeded(let permissions):
      let names = permissions.map { AuditQuote.name($0) }.joined(separator: " or ")
      let code = purpose.calls.first.map { AuditCalls.words($0) } ?? "Code"
      return "\(code) may ask for \(names)\(AuditCalls.more(purpose.calls, "place")), and \(file) has no \(key)"
    case .isNeededBy(let use):
      return "\(file) declares \(AuditQuote.name(use)) without the \(key) that it needs" + consequence(purpose)
    case .isNotKnown(let isAsked, let why):
      let need = isAsked ? asker(purpose) : "\(file) declares a use of it"
      return "\(need), but whether the app has \(key) is not known: \(AuditQuote.words(why))"
    case .isUnused(let evidence):
      let words =
        switch evidence {
        case .log: "the log never shows the app asking for the permission"
        case .code: "no call in the code that was read asks for the permission"
        case .logAndCode: "neither the log nor the code that was read shows the app asking for the permission"
        }
      return "\(location) is declared, but \(words)\(text)"
    case .isEmpty: return "\(location) is empty"
    case .isPlaceholder: return "\(location) is a placeholder\(text)"
    case .saysNoReason: return "\(location) says that access is needed, but not why\(text)"
    case .isShort(let characters): return "\(location) has only \(NumberText.counted(characters, "character"))\(text)"
    case .isRepeated(let keys): return "\(location) has the same text as \(AuditQuote.names(keys))\(text)"
    case .isNoText: return "\(location) is not text"
    case .isDeprecated(let since, let by):
      return
        "\(location) is no longer read: from \(AuditQuote.name(since)) on the system reads \(AuditQuote.name(by)), "
        + "which is also declared"
    case .lacksSuccessor(let since, let newer):
      return
        "\(location) is out of date: from \(AuditQuote.name(since)) on the system asks for \(AuditQuote.name(newer))"
    case .isUntranslated(let languages):
      let noun = NumberText.counted(languages.count, "language")
      return "\(location) has no translation in \(noun) of the app: \(AuditQuote.names(languages, most: 20))"
    }
  }

  /// ` (de)`, ` (de, fr and 3 more languages)`, or for the app's own text ` (also in de, fr)`.
  private static func languages(_ purpose: PurposeFinding) -> String {
    let names = ([purpose.language].compactMap { $0 } + purpose.translations.map(\.language)).map {
      AuditQuote.name($0)
    }
    guard !names.isEmpty else { return "" }
    let shown = names.prefix(4).joined(separator: ", ")
    let more = names.count > 4 ? " and \(NumberText.count(names.count - 4)) more" : ""
    return " (\(purpose.language == nil ? "also in " : "")\(shown)\(more))"
  }

  /// `The app asks for it`, or with code `App/Camera.swift:12 asks for it (requestAccess), and 2 other calls do`.
  private static func asker(_ purpose: PurposeFinding) -> String {
    guard let call = purpose.calls.first else { return "The app asks for it" }
    let condition = call.isConditional ? " in some builds (#if)" : ""
    return "\(AuditCalls.words(call)) asks for it\(condition)\(AuditCalls.more(purpose.calls))"
  }

  /// From when on it happens. An older key is not there either, or the permission would have one.
  private static func versions(_ since: String?, _ purpose: PurposeFinding) -> String {
    guard let since = since.map({ AuditQuote.name($0) }) else { return "" }
    let older = UsageKey.named(purpose.key)?.older.map { AuditQuote.name($0.name) }
    return older.map { " (from \(since) on; older systems read \($0))" } ?? ", from \(since) on"
  }

  private static func consequence(_ purpose: PurposeFinding) -> String {
    switch purpose.consequence {
    case .crash: ": the app would crash when it asks"
    case .notAsked: ": the system would not ask, and the app would get nothing"
    case .required: ", which Apple requires"
    case .plainQuestion: ": the system would ask without giving a reason"
    case nil: ""
    }
  }
}

/// Calls in an app's code.
enum AuditCalls {
  /// `requestAccess in App/Camera.swift:12`
  static func words(_ call: AppCode.Call) -> String { "\(call.symbol) in \(location(call))" }

  static func location(_ call: AppCode.Call) -> String { "\(AuditQuote.name(call.file)):\(call.line)" }

  /// ` (and 2 more)`
  static func more(_ calls: [AppCode.Call], _ noun: String = "call") -> String {
    calls.count > 1 ? " (and \(NumberText.counted(calls.count - 1, "more " + noun)))" : ""
  }

  static func notInCode(_ finding: AuditFinding) -> String {
    "The log shows the app asking for it, but no call in the code that was read does."
  }

  static func notLogged(_ finding: AuditFinding) -> String {
    guard case .code(let calls) = finding.detail, let call = calls.first else { return "" }
    return "\(words(call)) asks for it\(more(calls)), but the log never shows the app asking."
  }
}

// MARK: What sentences of an audit are made of: text from exports and property lists, and numbers

/// On one line, harmless, and not too long.
enum AuditQuote {
  private static let longestName = 60
  private static let longestText = 160

  static func text(_ text: String) -> String { "\"" + words(text) + "\"" }

  /// The same without quotation marks: words of permlog with names in them.
  static func words(_ text: String) -> String { DisplayWidth.cut(line(text), to: longestText, mark: "…") }

  /// The name of a permission, a file or a key; its middle goes if it is long.
  static func name(_ name: String) -> String {
    DisplayWidth.cutMiddle(line(name), to: longestName, mark: "…")
  }

  /// The id of a user, whole: people copy it to look the user up.
  static func id(_ id: String) -> String { TextStyle.plain.legible(id) }

  /// Names in their order, the first of them if they are many.
  static func names(_ names: [String], most: Int = 8) -> String {
    // Names that are not shown are not made short either.
    list(names.prefix(most).map(name), of: names.count)
  }

  /// The same with words that are ready to be shown.
  static func list(_ words: [String], most: Int = 8) -> String { list(Array(words.prefix(most)), of: words.count) }

  private static func list(_ shown: [String], of count: Int) -> String {
    let words = shown.joined(separator: ", ")
    return count > shown.count ? words + " and \(NumberText.count(count - shown.count)) more" : words
  }

  /// No name has more characters that count.
  private static func line(_ text: String) -> String {
    let start = text.unicodeScalars.prefix(4 * longestText)
    var line = ""
    for scalar in start {
      let isBlank = scalar.properties.isWhitespace
      // Several spaces become one.
      if isBlank, line.last == " " { continue }
      line.unicodeScalars.append(isBlank ? " " : scalar)
    }
    if start.endIndex < text.unicodeScalars.endIndex { line += "…" }
    return TextStyle.plain.legible(line)
  }
}

/// Numbers of findings. Unknown numbers are a dash.
enum AuditNumbers {
  /// `62.0 % (59.9–64.1)`; two decimals below one per cent.
  static func rate(_ estimate: Estimate?) -> String {
    guard let estimate, estimate.value.isFinite else { return "–" }
    let decimals = estimate.value > 0 && estimate.value < 0.01 ? 2 : 1
    let ends = [estimate.low, estimate.high].compactMap { $0.map { fixed($0 * 100, decimals) } }
    return fixed(estimate.value * 100, decimals) + "\u{A0}%"
      + (ends.count == 2 ? "\u{A0}(\(ends.joined(separator: "–")))" : "")
  }

  static func count(_ n: Int64?) -> String { n.map { NumberText.count(Int(clamping: $0)) } ?? "–" }

  /// `1 event`, `2 events`.
  static func counted(_ n: Int64, _ noun: String) -> String { NumberText.counted(Int(clamping: n), noun) }

  /// `5 %`, `0.1 %`: exactly.
  static func threshold(_ threshold: AuditThreshold) -> String { threshold.percent + "\u{A0}%" }
}

extension AuditFinding {
  var shareText: String { AuditNumbers.rate(share) }

  /// `1 240 of 2 000`.
  var countsText: String { "\(AuditNumbers.count(users))\u{A0}of\u{A0}\(AuditNumbers.count(of))" }
}
