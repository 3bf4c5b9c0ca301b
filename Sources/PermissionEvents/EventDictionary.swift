// The dictionary of one round of an ingest: every string value once, every combination of values once.
// Shared by all parsing threads; a thread asks only for values that it has not seen, and keeps its own cache.

import Threads

/// Codes for strings and for tuples of them, safe to use from several threads.
public final class EventDictionary: Sendable {
  public struct Contents: Sendable {
    /// Values by field (`StringField.rawValue`) and code; code 0 is the empty value.
    public var values: [[[UInt8]]]
    public var contexts: [ContextTuple]
    public var attributes: [AttributeTuple]
  }

  private struct State {
    /// By field.
    var fields = StringField.allCases.map { field in
      CodeTable<[UInt8]>([[]] + (field == .permission ? PermissionCode.taxonomy.map { Array($0.utf8) } : []))
    }
    var contexts = CodeTable<ContextTuple>([])
    var attributes = CodeTable<AttributeTuple>([])
    var bytes = 0

    func hasTuples(_ count: Int) -> Bool { max(contexts.values.count, attributes.values.count) >= count }
  }

  private let state = Mutex(State())

  /// Codes of tuples fit in 20 bits: `softTupleLimit` of them, and those that the current batches may still add.
  public static let tupleCodeBits: UInt64 = 20
  private static let softTupleLimit = 700_000
  private static let softByteLimit = 32 << 20

  public init() {}

  /// The code of a field's value, made if it is new. Values are at most `StringField.maximumLength` bytes.
  public func code(_ field: StringField, _ bytes: UnsafeRawBufferPointer) -> UInt32 {
    let value = [UInt8](bytes)
    return state.withLock { state in
      let count = state.fields[field.rawValue].values.count
      let code = state.fields[field.rawValue].code(value)
      if code == count { state.bytes += value.count + 48 }
      return code
    }
  }

  public func code(_ context: ContextTuple) -> UInt32 { state.withLock { $0.contexts.code(context) } }

  public func code(_ attributes: AttributeTuple) -> UInt32 { state.withLock { $0.attributes.code(attributes) } }

  /// The value of a code that this dictionary gave.
  public func value(_ field: StringField, _ code: UInt32) -> [UInt8] {
    state.withLock { $0.fields[field.rawValue].values[Int(code)] }
  }

  /// The tuple of a code that this dictionary gave.
  public func attributes(_ code: UInt32) -> AttributeTuple { state.withLock { $0.attributes.values[Int(code)] } }

  /// Whether no further batch should begin with this dictionary, so that the round must be closed. The limits leave
  /// room for the current batches.
  public var isFull: Bool {
    state.withLock { $0.hasTuples(Self.softTupleLimit) || $0.bytes >= Self.softByteLimit }
  }

  /// Whether there are more tuples than codes that fit in an event.
  package var isOverfull: Bool { state.withLock { $0.hasTuples(1 << Self.tupleCodeBits + 1) } }

  /// A copy of all values and tuples so far.
  public var contents: Contents {
    state.withLock {
      Contents(values: $0.fields.map(\.values), contexts: $0.contexts.values, attributes: $0.attributes.values)
    }
  }
}

// MARK: Dictionary encoding: a value is kept once, and a code everywhere else

/// Values by code and codes by value. Codes are given from 0 in the order in which values come.
///
/// Public, because other modules can specialise inlinable code only for public types.
public struct CodeTable<Value: Hashable & Sendable>: Sendable {
  /// By code; only `code` adds to them.
  public var values: [Value]
  @usableFromInline var codes: [Value: UInt32]

  /// - Parameter values: the values with the first codes.
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

  /// The code of a value, or nil if it has no code.
  @inlinable public func find(_ value: Value) -> UInt32? { codes[value] }
}
