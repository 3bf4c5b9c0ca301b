// The last step of the fast paths: ids, a time, a kind and codes become a packed event. The general path decides about
// unusual events. So this path may refuse any event, but accepted events must equal those of the general path.

import Buffers
import PermissionEvents

/// Packs the events with field codes in the assembler. Owned by one thread and one sink.
struct CommonEvent: ~Copyable {
  private let assembler: EventAssembler
  private let batch: EventBatch
  /// Times that are kept.
  let times: ClosedRange<Milliseconds>
  /// The last event, and the search for the code of its attributes.
  private var awaited: (event: Int, search: TupleCache.Search)?

  init(_ assembler: EventAssembler) {
    self.assembler = assembler
    batch = assembler.batch
    times = Timestamp.earliest...max(Timestamp.earliest, assembler.latestTime)
  }

  struct ReadID {
    /// 0 for a text, else the raw value of `IdentifierForm`.
    var form: UInt8 = 0
    var high: UInt64 = 0
    var low: UInt64 = 0
    var text = UnsafeRawBufferPointer(start: nil, count: 0)

    /// Reads a whole text; false if it is not ASCII.
    @inline(__always)
    mutating func read(_ text: PaddedBytes) -> Bool {
      self.text = text.bytes
      if text.count == 36, let base = text.bytes.baseAddress, let uuid = UUIDPacker.pack(base) {
        (form, high, low) = (uuid.form, uuid.high, uuid.low)
        return true
      }
      return text.isASCII
    }
  }

  /// The kind for the assembler's code; nil if it needs a field that is missing.
  @inline(__always)
  func kind() -> EventKind? {
    let codes = assembler.codes.unsafeAddress
    guard let kind = EventKind(rawValue: UInt8(truncatingIfNeeded: codes[ImportField.event])),
      codes[StringField.permission.rawValue] != 0 || !kind.needsPermission
    else { return nil }
    return kind != .assigned || assembler.beginAssignment() ? kind : nil
  }

  /// Appends an event; false if that is for the general path.
  /// - Parameters:
  ///   - user: at most `ImportField.maximumUserID` bytes.
  ///   - event: no text if it came without an id.
  ///   - seen: a bit for each field with a span in the assembler; used only without an id.
  @inline(__always)
  mutating func append(
    _ user: ReadID, _ event: ReadID, _ time: Milliseconds, _ kind: EventKind, _ seen: UInt32
  ) -> Bool {
    guard event.text.count <= ImportField.maximumEventID,
      event.form != 0
        ? event.high | event.low != 0
        : event.text.isEmpty || EventAssembler.isPlainID(event.text) && !EventAssembler.isNobody(event.text)
    else { return false }
    let userIdentifier: EventBatch.Identifier
    let hash: UInt64
    if user.form == 0 {
      guard user.text.count > 0, EventAssembler.isPlainID(user.text), !EventAssembler.isNobody(user.text) else {
        return false
      }
      userIdentifier = batch.identifier(user.text)
      hash = UserHash.text(user.text)
    } else {
      guard user.high | user.low != 0 else { return false }
      userIdentifier = Self.packed(user)
      hash = UserHash.uuid(high: user.high, low: user.low)
    }
    let eventIdentifier: EventBatch.Identifier
    if kind == .assigned {
      eventIdentifier = assembler.assignmentID(time)
    } else if event.form != 0 {
      eventIdentifier = Self.packed(event)
    } else {
      eventIdentifier = event.text.isEmpty ? derived(user.text, time, kind, seen) : batch.identifier(event.text)
    }
    let search = assembler.searchAttributes()
    finishAttributes()
    awaited = (batch.count, search)
    batch.append(
      userHash: hash, user: userIdentifier, event: eventIdentifier, time: time, kind: kind,
      context: assembler.contextCode(), attributes: 0)
    if event.form != 0, let (counter, number) = EventNumber.recorded(high: event.high, low: event.low) {
      batch.note(counter: counter, number: number, ofEvent: batch.count - 1)
    }
    return true
  }

  /// Sets the attributes of the previous line's event, for which the code was searched meanwhile.
  @inline(__always)
  mutating func finishAttributes() {
    guard let (event, search) = awaited else { return }
    batch.setAttributes(assembler.attributeCode(search), of: event)
    awaited = nil
  }

  @inline(__always)
  private static func packed(_ value: ReadID) -> EventBatch.Identifier {
    EventBatch.Identifier(form: value.form == 2 ? .uppercaseUUID : .lowercaseUUID, high: value.high, low: value.low)
  }

  /// The id of an event that came without one.
  @inline(never)
  private mutating func derived(
    _ user: UnsafeRawBufferPointer, _ time: Milliseconds, _ kind: EventKind, _ seen: UInt32
  ) -> EventBatch.Identifier {
    let status = AuthorizationStatus(rawValue: UInt8(truncatingIfNeeded: assembler.codes[ImportField.status]))
    return DerivedEventID.make(user: user, time: time, kind: kind, status: status ?? .none) { [assembler] field in
      seen & 1 << UInt32(field.rawValue) != 0 ? assembler.spans[field.rawValue] : PaddedBytes.none.bytes
    }
  }
}
