// From the values of one line to one packed event: the rules of the canonical form, whatever the file's
// form. Values come as bytes, leave as codes; nothing here makes a String unless a line is refused.

import PermissionEvents

/// Checks the values of lines and packs them into a batch. Owned by one thread and one sink.
final class EventAssembler {
  /// Tables of the code cache: the string fields by number, then these.
  static let kindTable = ImportField.stringCount
  static let statusTable = ImportField.stringCount + 1

  let options: ImportOptions
  let latestTime: Milliseconds
  let dictionary: EventDictionary
  let batch = EventBatch()
  let cache = CodeCache(tables: ImportField.stringCount + 2)
  let contexts = TupleCache()
  let attributes = TupleCache()
  /// Codes of the string fields of the line under way.
  let codes = UnsafeMutablePointer<UInt32>.allocate(capacity: ImportField.stringCount)
  /// Values of the string fields of the line under way; for derived ids.
  let spans = UnsafeMutablePointer<UnsafeRawBufferPointer>.allocate(capacity: ImportField.stringCount)

  init(options: ImportOptions, dictionary: EventDictionary) {
    self.options = options
    self.dictionary = dictionary
    latestTime = options.latestTime
    codes.initialize(repeating: 0, count: ImportField.stringCount)
    spans.initialize(repeating: FieldValue.absent.bytes, count: ImportField.stringCount)
  }

  deinit {
    cache.deallocate()
    contexts.deallocate()
    attributes.deallocate()
    codes.deallocate()
    spans.deallocate()
  }

  /// The code of a value in a table of the cache; nil where the value is not in its closed list. The value has
  /// at most 256 bytes and is not empty.
  @inline(__always)
  func code(_ table: Int, _ base: UnsafeRawPointer, _ count: Int, _ low: UInt64, _ high: UInt64) -> UInt32? {
    cache.find(table, base, count, low, high) ?? newCode(table, base, count, low, high)
  }

  @inline(never)
  private func newCode(
    _ table: Int, _ base: UnsafeRawPointer, _ count: Int, _ low: UInt64, _ high: UInt64
  ) -> UInt32? {
    let bytes = UnsafeRawBufferPointer(start: base, count: count)
    let code: UInt32
    switch table {
    case Self.kindTable:
      guard let index = Vocabulary.index(of: bytes, in: Vocabulary.kinds) else { return nil }
      code = UInt32(index)
    case Self.statusTable:
      guard let index = Vocabulary.index(of: bytes, in: Vocabulary.statuses) else { return nil }
      code = UInt32(index)
    default:
      guard let field = StringField(rawValue: table) else { return nil }
      if field == .permission, !options.allowCustomPermissions,
        Vocabulary.index(of: bytes, in: Vocabulary.permissions) == nil
      {
        return nil
      }
      code = dictionary.code(field, bytes)
    }
    cache.insert(table, base, count, low, high, code: code)
    return code
  }

  /// The code of the line's context.
  @inline(__always)
  func contextCode(status: UInt32) -> UInt32 {
    let first = UInt64(codes[0]) | UInt64(codes[1]) << 32
    let second = UInt64(codes[2]) | UInt64(codes[3]) << 32
    let third = UInt64(codes[4]) | UInt64(status) << 32
    return contexts.code(first, second, third) { newContext(status: status) }
  }

  @inline(never)
  private func newContext(status: UInt32) -> UInt32 {
    dictionary.code(
      ContextTuple(
        permission: codes[0], variant: codes[1], experiment: codes[2], surface: codes[3], feature: codes[4],
        status: AuthorizationStatus(rawValue: UInt8(truncatingIfNeeded: status)) ?? .none))
  }

  /// The code of the line's attributes.
  @inline(__always)
  func attributeCode() -> UInt32 {
    let first = UInt64(codes[5]) | UInt64(codes[6]) << 32
    let second = UInt64(codes[7]) | UInt64(codes[8]) << 32
    return attributes.code(first, second, UInt64(codes[9])) { newAttributes() }
  }

  @inline(never)
  private func newAttributes() -> UInt32 {
    dictionary.code(
      AttributeTuple(
        appVersion: codes[5], osVersion: codes[6], platform: codes[7], locale: codes[8], country: codes[9]))
  }
}
