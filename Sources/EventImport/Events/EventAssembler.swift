// From the values of one line to one packed event: the rules of the canonical form, whatever the file's
// form. Values come as bytes, leave as codes; nothing here makes a String unless a line is refused.

import Buffers
import PermissionEvents

/// Checks the values of lines and packs them into a batch. Owned by one thread and one sink.
final class EventAssembler {
  let options: ImportOptions
  let latestTime: Milliseconds
  /// Replaces user ids that are not to be stored.
  let pseudonyms: UserPseudonyms?
  let dictionary: EventDictionary
  let batch = EventBatch()
  let respelling = Respelling()
  /// A value of the line under way was in another spelling than its list's.
  var isRespelled = false
  /// Events of the chunk whose id is made of all that they say.
  @exclusivity(unchecked) var contentIDs = 0
  /// Events of the batch whose names were read: they are counted by those. Kept if `countsKinds` asks for it.
  var named: Set<Int> = []
  /// Reads the times that are not in RFC 3339.
  let times: RecordTime
  private let cache = CodeCache(fields: ImportField.codeCount)
  private let contexts = TupleCache(bits: 12)
  private let attributes = TupleCache(bits: 15)
  /// Codes of the fields of the line under way. Words, because they are loaded as such right after they were stored.
  let codes = Buffer<UInt64>(repeating: 0, count: ImportField.codeCount)
  /// Values of the fields of the line under way; for derived ids.
  let spans = Buffer(repeating: UnsafeRawBufferPointer(start: nil, count: 0), count: ImportField.codeCount)

  init(options: ImportOptions, dictionary: EventDictionary) {
    self.options = options
    self.dictionary = dictionary
    latestTime = options.latestTime
    times = RecordTime(unit: .auto, clock: options.clock(.unsaid))
    pseudonyms = options.userKey.map { UserPseudonyms(key: $0) }
  }

  /// The id of an event by its vendor's key: a hash, keyed if user ids are hidden, since they may be part of it.
  func derivedID(of key: [UInt8]) -> EventBatch.Identifier {
    key.withUnsafeBytes { bytes in
      pseudonyms.map { $0.identifier(of: bytes) } ?? DerivedEventID.make(ofKey: bytes)
    }
  }

  /// The code of a field that is not there: no value, and no kind.
  static func absentCode(_ field: Int) -> UInt64 { field == ImportField.event ? .max : 0 }

  /// The code of a field's value; nil if the value is not in its closed list. The value has at most 256 bytes
  /// and is not empty.
  /// - Parameter words: its first 16 bytes.
  @inline(__always)
  func code(_ field: Int, _ text: PaddedBytes, _ words: (low: UInt64, high: UInt64)) -> UInt32? {
    cache.find(field, text, words) ?? newCode(field, text, words)
  }

  /// The code of a value as it was written; nil if the general path has to look at it: it is in another spelling, not in its
  /// closed list, too long or not UTF-8. The value is not empty.
  @inline(__always)
  func plainCode(_ field: Int, _ text: PaddedBytes) -> UInt32? {
    let words = text.words
    return cache.find(field, text, words) ?? newPlainCode(field, text, words)
  }

  @inline(never)
  private func newPlainCode(_ field: Int, _ text: PaddedBytes, _ words: (low: UInt64, high: UInt64)) -> UInt32? {
    guard text.count <= StringField.maximumLength, Self.isUTF8(text.bytes) else { return nil }
    return newCode(field, text, words)
  }

  @inline(never)
  private func newCode(_ field: Int, _ text: PaddedBytes, _ words: (low: UInt64, high: UInt64)) -> UInt32? {
    let code: UInt32
    switch field {
    case ImportField.event, ImportField.status:
      let list = field == ImportField.event ? ClosedList.kinds : ClosedList.statuses
      guard let index = ClosedList.index(of: text.bytes, in: list) else { return nil }
      code = UInt32(index)
    default:
      guard let stringField = StringField(rawValue: field) else { return nil }
      if stringField == .permission, ClosedList.index(of: text.bytes, in: ClosedList.permissions) == nil {
        // `Camera` is the camera, also among names of one's own: the general path has the list's spelling.
        guard options.allowCustomPermissions, respelling.find(field, text.bytes) == nil else { return nil }
      }
      code = dictionary.code(stringField, text.bytes)
    }
    cache.insert(field, text, words, code: code)
    return code
  }

  /// The code of the line's context.
  @inline(__always)
  func contextCode() -> UInt32 {
    let search = contexts.search(
      codes[0] | codes[1] &<< 32, codes[2] | codes[3] &<< 32, codes[4] | codes[ImportField.status] &<< 32)
    return contexts.code(search) { newContext($0) }
  }

  @inline(never)
  private func newContext(_ tuple: TupleCache.Search) -> UInt32 {
    let status = AuthorizationStatus(rawValue: UInt8(truncatingIfNeeded: tuple.third >> 32))
    return dictionary.code(
      ContextTuple(
        permission: UInt32(truncatingIfNeeded: tuple.first), variant: UInt32(truncatingIfNeeded: tuple.first >> 32),
        experiment: UInt32(truncatingIfNeeded: tuple.second), surface: UInt32(truncatingIfNeeded: tuple.second >> 32),
        feature: UInt32(truncatingIfNeeded: tuple.third), status: status ?? .none))
  }

  /// Begins the search for the code of the line's attributes. There are many in a file, so that it takes time.
  @inline(__always)
  func searchAttributes() -> TupleCache.Search {
    attributes.search(codes[5] | codes[6] &<< 32, codes[7] | codes[8] &<< 32, codes[9])
  }

  @inline(__always)
  func attributeCode(_ search: TupleCache.Search) -> UInt32 { attributes.code(search) { newAttributes($0) } }

  @inline(never)
  private func newAttributes(_ tuple: TupleCache.Search) -> UInt32 {
    dictionary.code(
      AttributeTuple(
        appVersion: UInt32(truncatingIfNeeded: tuple.first), osVersion: UInt32(truncatingIfNeeded: tuple.first >> 32),
        platform: UInt32(truncatingIfNeeded: tuple.second), locale: UInt32(truncatingIfNeeded: tuple.second >> 32),
        country: UInt32(truncatingIfNeeded: tuple.third)))
  }
}
