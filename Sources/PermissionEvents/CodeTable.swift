// Dictionary encoding: a value is kept once, and a code everywhere else.

/// Values by code and codes by value. Codes are given from 0 in the order in which values come.
///
/// Public, because other modules specialise what is inlinable only of public types.
public struct CodeTable<Value: Hashable & Sendable>: Sendable {
  /// By code; only `code` adds to them.
  public var values: [Value]
  @usableFromInline var codes: [Value: UInt32]

  /// - Parameter values: those that have the first codes.
  @inlinable public init(_ values: [Value]) {
    self.values = values
    codes = Dictionary(zip(values, 0...), uniquingKeysWith: { first, _ in first })
  }

  /// The code of a value; one that is new gets the next code.
  @inlinable public mutating func code(_ value: Value) -> UInt32 {
    if let code = codes[value] { return code }
    let code = UInt32(truncatingIfNeeded: values.count)
    values.append(value)
    codes[value] = code
    return code
  }

  /// The code of a value; nil if it has none.
  @inlinable public func find(_ value: Value) -> UInt32? { codes[value] }
}
