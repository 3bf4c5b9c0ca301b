// Names of a question: one log refuses those that it does not have. Each of several logs says which it has, and whoever reads
// their sums refuses those that none has.

import EventLog
import EventMapping
import PermissionAnalysis
import PermissionEvents

extension KnownNames {
  /// A name that is asked for.
  fileprivate typealias Name = (field: StringField, name: [UInt8], argument: PermlogError.Argument?)

  /// In the order in which one log looks for them.
  fileprivate static func names(of asked: Question.Asked) -> [Name] {
    func values(_ conditions: [ExposureCondition]) -> [Name] {
      conditions.filter { !$0.comparison.ofVersions }.flatMap { condition in
        condition.values.filter { !$0.isEmpty }.map { (condition.field, $0, .conditions) }
      }
    }
    func name(_ field: StringField, _ name: String?, _ argument: PermlogError.Argument? = nil) -> [Name] {
      name.map { [(field, Array($0.utf8), argument)] } ?? []
    }
    switch asked {
    case .report(let request): return values(request.conditions) + name(.permission, request.permission)
    case .compare(let request):
      return values(request.conditions) + request.variants.flatMap { name(request.comparedProperty, $0) }
        + name(.experiment, request.experiment) + name(.permission, request.permission)
    case .flow(let request):
      return values(request.conditions) + request.steps.flatMap { name(.permission, $0, .steps) }
        + name(.permission, request.permission)
    case .audit(let request): return values(request.conditions) + name(.permission, request.permission)
    }
  }

  /// Those of a question that a log has; of one whose permission is chosen later all its permissions.
  static func found(_ asked: Question.Asked, in snapshot: LogSnapshot) -> NameSums {
    let values = snapshot.information.values.mapValues { Set($0.map { Array($0.utf8) }) }
    var found = NameSums()
    for name in names(of: asked) where values[name.field]?.contains(name.name) == true {
      found.insert(name.field, name.name)
    }
    if asked.kind == .flow || asked.kind == .audit {
      for permission in values[.permission] ?? [] { found.insert(.permission, permission) }
    }
    return found
  }

  /// Throws unless every name that is asked for is one that some log has.
  /// - Parameter isOfEmptyLog: no event came in: logs without events have no names at all, and are asked all the same. Nil if that is not
  ///   known: then it is taken for so if no log has a permission.
  static func check(
    _ asked: Question.Asked, in known: NameSums, isOfEmptyLog: Bool? = false
  ) throws(PermlogError) {
    let permissions = known.names(.permission)
    if isOfEmptyLog ?? permissions.isEmpty { return }
    for name in names(of: asked) where !known.has(name.field, name.name) {
      let text = String(decoding: name.name, as: UTF8.self)
      let what = name.field == .variant && name.argument == nil ? "message" : name.field.name
      var error =
        name.field == .permission && asked.kind != .report && asked.kind != .compare
        ? unknown(what, text, permissions) : PermlogError(.usage, "these sums have no \(what) \(text)")
      error.argument = name.argument
      throw error
    }
  }
}

extension Question {
  /// Permissions outside the taxonomy that are asked for, with the one that was probably meant. Whether any log has them shows only when the
  /// sums are read.
  package var customPermissions: [(name: String, meant: String?)] {
    KnownNames.names(of: asked).filter { $0.field == .permission }.compactMap { _, name, _ in
      let text = String(decoding: name, as: UTF8.self)
      return PermissionCode.taxonomy.contains(text) ? nil : (text, Suggestion.permission(name))
    }
  }
}
