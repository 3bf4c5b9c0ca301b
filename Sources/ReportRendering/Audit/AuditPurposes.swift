// What an audit says of an Info.plist: the key, what is wrong with it, and the text that it holds.

import PermissionAnalysis

enum AuditPurposes {
  static func sentence(_ purpose: PurposeFinding) -> String {
    let words = words(purpose)
    return words.hasSuffix(".") || words.hasSuffix(".\"") ? words : words + "."
  }

  private static func words(_ purpose: PurposeFinding) -> String {
    let file = AuditQuote.name(purpose.file)
    let key = AuditQuote.name(purpose.key)
    let place = "\(key) in \(file)" + (purpose.language.map { " (\(AuditQuote.name($0)))" } ?? "")
    let text = purpose.text.map { ": " + AuditQuote.text($0) } ?? ""
    switch purpose.reason {
    case .isMissing(let since):
      return "The app asks for it, and \(file) has no \(key)" + consequence(purpose) + versions(since, purpose)
    case .isNeededBy(let use):
      return "\(file) declares \(AuditQuote.name(use)), and has no \(key), which that needs" + consequence(purpose)
    case .isUnused: return "\(place) is there, and the log never asks for the permission\(text)"
    case .isEmpty: return "\(place) is empty"
    case .isPlaceholder: return "\(place) is a placeholder\(text)"
    case .saysNoReason: return "\(place) says that access is needed, and not what for\(text)"
    case .isShort(let characters): return "\(place) has only \(NumberText.counted(characters, "character"))\(text)"
    case .isRepeated(let keys): return "\(place) has the same text as \(AuditQuote.names(keys))\(text)"
    case .isNoText: return "\(place) is no text"
    case .isDeprecated(let since, let by):
      return
        "\(place) is no longer read: from \(AuditQuote.name(since)) on \(AuditQuote.name(by)) is, which is there too"
    case .lacksSuccessor(let since, let newer):
      return "\(place) is out of date: from \(AuditQuote.name(since)) on the system asks for \(AuditQuote.name(newer))"
    case .isUntranslated(let languages):
      let noun = NumberText.counted(languages.count, "language")
      return "\(place) has no translation in \(noun) of the app: \(AuditQuote.names(languages, most: 20))"
    }
  }

  /// From when on it happens. An older key is not there either, or the permission would have one.
  private static func versions(_ since: String?, _ purpose: PurposeFinding) -> String {
    guard let since = since.map({ AuditQuote.name($0) }) else { return "" }
    let older = UsageKey.named(purpose.key)?.older.map { AuditQuote.name($0.name) }
    return older.map { " (from \(since) on; older systems read \($0))" } ?? ", from \(since) on"
  }

  /// What happens if the app asks all the same.
  private static func consequence(_ purpose: PurposeFinding) -> String {
    switch purpose.consequence {
    case .crash: ": the app would crash when it asks"
    case .notAsked: ": the system would not ask, and the app would get nothing"
    case .required: ", which Apple requires"
    case .plainQuestion: ": the system would ask without a reason"
    case nil: ""
    }
  }
}
