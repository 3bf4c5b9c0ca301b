// Dictionary encoding: a value is kept once, and a code everywhere else.

/// Values by code and codes by value. Codes are given from 0 in the order in which values come.
package struct CodeTable<Value: Hashable & Sendable>: Sendable {
  /// By code; to be changed by `code` alone, as `codes` is.
  @usableFromInline package var values: [Value]
  @usableFromInline package var codes: [Value: UInt32]

  /// - Parameter values: those that have the first codes.
  @inlinable package init(_ values: [Value]) {
    self.values = values
    codes = Dictionary(zip(values, 0...), uniquingKeysWith: { first, _ in first })
  }

  /// The code of a value; one that is new gets the next code.
  @inlinable package mutating func code(_ value: Value) -> UInt32 {
    if let code = codes[value] { return code }
    let code = UInt32(truncatingIfNeeded: values.count)
    values.append(value)
    codes[value] = code
    return code
  }
}
