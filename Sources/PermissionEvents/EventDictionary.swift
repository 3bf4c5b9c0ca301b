// The dictionary of one run of an ingest: every string value once, every combination of values once.
// Shared by all parsing threads; a thread asks only for what it has not seen, and keeps its own cache.

import Threads

/// Codes for strings and for tuples of them, safe to use from several threads.
public final class EventDictionary: Sendable {
  /// The bytes of a value.
  public typealias Value = [UInt8]

  public struct Contents: Sendable {
    /// Values by field (`StringField.rawValue`) and code; code 0 is the empty value.
    public var values: [[Value]]
    public var contexts: [ContextTuple] = []
    public var attributes: [AttributeTuple] = []
  }

  private struct State {
    var contents: Contents
    var codes: [[Value: UInt32]]
    var contextCodes: [ContextTuple: UInt32] = [:]
    var attributeCodes: [AttributeTuple: UInt32] = [:]
    var bytes = 0

    init() {
      var values: [[Value]] = StringField.allCases.map { _ in [[]] }
      values[StringField.permission.rawValue] += PermissionCode.taxonomy.map { Array($0.utf8) }
      contents = Contents(values: values)
      codes = values.map { list in
        Dictionary(uniqueKeysWithValues: list.enumerated().map { ($0.element, UInt32($0.offset)) })
      }
    }
  }

  private let state = Mutex(State())

  /// Codes of tuples fit in 20 bits: `softLimit` of them, and what the batches under way may still add.
  public static let tupleCodeBits: UInt64 = 20
  private static let softTupleLimit = 700_000
  private static let softByteLimit = 32 << 20

  public init() {}

  /// The code of a field's value, made where it is new. Values are at most `StringField.maximumLength` bytes.
  public func code(_ field: StringField, _ bytes: UnsafeRawBufferPointer) -> UInt32 {
    let value = Value(bytes)
    return state.withLock { state in
      if let code = state.codes[field.rawValue][value] { return code }
      let code = UInt32(truncatingIfNeeded: state.contents.values[field.rawValue].count)
      state.contents.values[field.rawValue].append(value)
      state.codes[field.rawValue][value] = code
      state.bytes += value.count + 48
      return code
    }
  }

  public func code(_ context: ContextTuple) -> UInt32 {
    state.withLock { state in
      if let code = state.contextCodes[context] { return code }
      let code = UInt32(truncatingIfNeeded: state.contents.contexts.count)
      state.contents.contexts.append(context)
      state.contextCodes[context] = code
      return code
    }
  }

  public func code(_ attributes: AttributeTuple) -> UInt32 {
    state.withLock { state in
      if let code = state.attributeCodes[attributes] { return code }
      let code = UInt32(truncatingIfNeeded: state.contents.attributes.count)
      state.contents.attributes.append(attributes)
      state.attributeCodes[attributes] = code
      return code
    }
  }

  /// True where no further batch should be begun with this dictionary: the run is to be closed. The limits
  /// leave room for the batches that are under way.
  public var isFull: Bool {
    state.withLock {
      $0.contents.contexts.count >= Self.softTupleLimit || $0.contents.attributes.count >= Self.softTupleLimit
        || $0.bytes >= Self.softByteLimit
    }
  }

  /// True where there are more tuples than codes that fit in an event.
  package var isOverfull: Bool {
    state.withLock { max($0.contents.contexts.count, $0.contents.attributes.count) > 1 << Self.tupleCodeBits }
  }

  /// A copy of all values and tuples so far.
  public var contents: Contents { state.withLock { $0.contents } }
}
