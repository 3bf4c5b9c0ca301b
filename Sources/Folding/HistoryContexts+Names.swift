// The names of codes, for folds that count under them.

public import PermissionEvents

extension HistoryContexts {
  /// The permission of a context by its number, as `UserHistory.context` gives it; empty for an event of no permission.
  public func permission(of context: Int) -> String { Self.text(permissions, contexts[context].permission) }

  /// The variant of a context; empty if it has none, or variants were not selected.
  public func variant(of context: Int) -> String { Self.text(variants, contexts[context].variant) }

  /// The experiment of a context, in the same way.
  public func experiment(of context: Int) -> String { Self.text(experiments, contexts[context].experiment) }

  /// The value of a property's code, as `UserHistory.property` gives it; empty for an event without it.
  public func property(of code: Int) -> String { Self.text(properties, UInt32(truncatingIfNeeded: code)) }

  /// The value of a selected attribute, by its number in `HistorySelection.attributes` and the code that
  /// `UserHistory.attributes` gives; empty for an event without it.
  public func attribute(_ number: Int, of code: Int) -> String {
    Self.text(attributeValues[number], attributes[code][number])
  }

  private static func text(_ names: [[UInt8]], _ code: UInt32) -> String {
    String(decoding: names[Int(code)], as: UTF8.self)
  }
}
