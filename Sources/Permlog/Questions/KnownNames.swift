// Names of a question: a single log refuses names that it does not have. Each of several logs lists the names that it
// has, and the reader of their sums refuses names that no log has.

import EventLog
import EventMapping
import PermissionAnalysis
import PermissionEvents
import ReportRendering

struct AskedName {
  let field: StringField
  let name: [UInt8]
  /// The part of the request with this name; nil if the sentence is clear without it.
  var argument: PermlogError.Argument?

  init(_ field: StringField, _ name: String, _ argument: PermlogError.Argument? = nil) {
    (self.field, self.name, self.argument) = (field, Array(name.utf8), argument)
  }

  /// The values in conditions, whether or not any events have them.
  static func values(_ conditions: [ExposureCondition]) -> [AskedName] {
    conditions.filter { !$0.comparison.ofVersions }.flatMap { condition in
      condition.values.filter { !$0.isEmpty }.map { AskedName(condition.field, $0) }
    }
  }

  private init(_ field: StringField, _ value: [UInt8]) {
    (self.field, name, argument) = (field, value, .conditions)
  }

  /// For sentences.
  fileprivate var noun: String { field == .variant && argument == nil ? "message" : field.name }
}

enum KnownNames {
  /// Throws unless every name is in use; names are compared byte for byte.
  static func require(_ names: [AskedName], in snapshot: LogSnapshot) throws(PermlogError) {
    var known: [StringField: Set<[UInt8]>] = [:]
    for name in names {
      let values = snapshot.information.values[name.field] ?? []
      if known[name.field] == nil { known[name.field] = Set(values.map { Array($0.utf8) }) }
      guard known[name.field]?.contains(name.name) != true else { continue }
      throw unknown(name, values)
    }
  }

  static func isKnown(_ name: AskedName, in snapshot: LogSnapshot) -> Bool {
    snapshot.information.values[name.field]?.contains { $0.utf8.elementsEqual(name.name) } ?? false
  }

  private static func unknown(_ name: AskedName, _ known: [String]) -> PermlogError {
    let text = String(bounded: name.name)
    guard !known.isEmpty else {
      let why = "no event in it has the field \(name.field.name)"
      return .usage("the log has no \(name.noun) \(text): \(why)", name.argument)
    }
    let style = TextStyle()
    var sentence = "the log has no \(name.noun) \(text). It has: \(listed(known.map { style.legible($0) }, most: 30))."
    let meant = name.field == .permission ? Suggestion.permission(name.name) : nil
    if let meant = meant ?? Suggestion.spelling(name.name, known), known.contains(meant) {
      sentence += " Did you mean \(style.legible(meant))?"
    }
    return .usage(sentence, name.argument)
  }

  // MARK: Names of sums

  /// Names of a request that a log has. If the permission is chosen later, also all permissions of the log.
  static func found(_ request: any CountedRequest, in snapshot: LogSnapshot) -> NameSums {
    let values = snapshot.information.values.mapValues { Set($0.map { Array($0.utf8) }) }
    var found = NameSums()
    for name in request.names where values[name.field]?.contains(name.name) == true {
      found.insert(name.field, name.name)
    }
    if type(of: request).choosesPermissionLater {
      for permission in values[.permission] ?? [] { found.insert(.permission, permission) }
    }
    return found
  }

  /// Throws unless some log has every name of the request.
  /// - Parameter isOfEmptyLog: true if no event came in. Logs without events have no names, and the question is
  ///   answered anyway. Nil if it is not known: then it counts as true if sums that should have all permissions have
  ///   none.
  static func require<Request: CountedRequest>(
    _ request: Request, in known: NameSums, isOfEmptyLog: Bool?
  ) throws(PermlogError) {
    let permissions = known.names(.permission)
    if isOfEmptyLog ?? (Request.choosesPermissionLater && permissions.isEmpty) { return }
    for name in request.names where !known.has(name.field, name.name) {
      if name.field == .permission, Request.choosesPermissionLater { throw unknown(name, permissions) }
      throw .usage("these sums have no \(name.noun) \(String(bounded: name.name))", name.argument)
    }
  }
}

extension CountedRequest {
  /// Whether the permission is chosen when sums are read.
  fileprivate static var choosesPermissionLater: Bool {
    fields.contains { $0.argument == .permission && $0.counted == nil }
  }
}

extension Question {
  /// Permissions of the question outside the taxonomy, with the one that was probably meant. Whether any log has them
  /// is known only when the sums are read.
  package var customPermissions: [(name: String, meant: String?)] {
    request.names.filter { $0.field == .permission }.compactMap { asked in
      let text = String(bounded: asked.name)
      return PermissionCode.taxonomy.contains(text) ? nil : (text, Suggestion.permission(asked.name))
    }
  }
}
