// A batch of packed events: what a parser fills from one chunk of input and hands to the log. Owned by
// one thread and reused, so that no event costs an allocation.

import Buffers

/// Events of one chunk of the input, with the texts of those ids that are not UUIDs.
public final class EventBatch {
  /// Ordinal of the chunk in the input, from 0.
  @exclusivity(unchecked) public var chunk: UInt64 = 0
  // Unchecked, as the chunk: one thread owns a batch, and an access lasts no longer than a call.
  @usableFromInline @exclusivity(unchecked) var memory = Buffer<PackedEvent>(capacity: 8192)
  @exclusivity(unchecked) public private(set) var texts: ContiguousArray<UInt8> = []
  /// Links that the chunk's records tell of.
  @exclusivity(unchecked) public var links: [UserLink] = []

  /// Chunks that fit in an event's sequence. The number after the last marks events that were stored before.
  public static let maximumChunks: UInt64 = 1 << 22 - 1
  /// Events that fit in a batch.
  public static let maximumEvents = 1 << 16

  public init() {}

  public var count: Int { memory.count }

  /// The batch's events; valid until the batch is changed.
  public var events: UnsafeBufferPointer<PackedEvent> { UnsafeBufferPointer(start: memory.unsafeAddress, count: count) }

  public func removeAll() {
    memory.removeAll()
    links.removeAll(keepingCapacity: true)
    texts.removeAll(keepingCapacity: true)
  }

  /// An id ready to be packed.
  public struct Identifier {
    public var form: IdentifierForm
    public var high: UInt64
    public var low: UInt64
    @inline(__always) public init(form: IdentifierForm, high: UInt64, low: UInt64) {
      self.form = form
      self.high = high
      self.low = low
    }
  }

  /// Packs an id; a text that is not a UUID goes to `texts`, and `high` is its `TextRange`.
  public func identifier(_ bytes: UnsafeRawBufferPointer) -> Identifier {
    if let id = IdentifierText.packUUID(bytes) { return Identifier(form: id.form, high: id.high, low: id.low) }
    let offset = texts.count
    texts.append(contentsOf: bytes)
    return Identifier(form: .text, high: TextRange(offset: offset, count: bytes.count).word, low: 0)
  }

  /// The text of an event's user id.
  public func userID(of event: PackedEvent) -> [UInt8] {
    guard let form = IdentifierForm(rawValue: event.userForm), form != .text else {
      let range = TextRange(word: event.userWord)
      return Array(texts[range.offset..<range.offset + range.count])
    }
    var text: [UInt8] = []
    let high = UserHash.highWord(hash: event.userHash, low: event.userWord)
    IdentifierText.writeUUID(form: form, high: high, low: event.userWord, into: &text)
    return text
  }

  /// Appends an event; the batch must not be full.
  @inlinable
  @inline(__always)
  public func append(
    userHash: UInt64, user: Identifier, event: Identifier, time: Milliseconds, kind: EventKind, context: UInt32,
    attributes: UInt32
  ) {
    assert(memory.count < Self.maximumEvents, "an event's place in its chunk would not fit in its sequence")
    let sequence = chunk << 16 | UInt64(truncatingIfNeeded: memory.count)
    // Word by word: an event that is put together elsewhere and copied in larger pieces would have the processor wait.
    let place = memory.unsafeAppend()
    place.pointee.userHash = userHash
    place.pointee.userWord = user.form == .text ? user.high : user.low
    place.pointee.order = PackedEvent.order(
      userForm: user.form, eventForm: event.form, time: time, kind: kind, sequence: sequence)
    place.pointee.eventHigh = event.high
    place.pointee.eventLow = event.low
    place.pointee.codes = PackedEvent.codes(context: context, attributes: attributes, sequence: sequence)
  }

  /// Appends a record that is no event, for the event that it may have been (`PackedEvent.noEvent`).
  public func appendNoEvent(
    userHash: UInt64, user: Identifier, event: Identifier, time: Milliseconds, context: UInt32, attributes: UInt32
  ) {
    append(
      userHash: userHash, user: user, event: event, time: time, kind: .appInstalled, context: context,
      attributes: attributes)
    memory.unsafeAddress[memory.count - 1].order |= UInt64(PackedEvent.noEvent) << PackedEvent.kindShift
  }

  /// Appends an event that is packed already; texts of its ids must be in this batch.
  public func append(_ event: PackedEvent) { memory.unsafeAppend().pointee = event }

  /// Sets the code of the attributes of an event that was appended with code 0.
  @inlinable
  @inline(__always)
  public func setAttributes(_ attributes: UInt32, of event: Int) {
    memory.unsafeAddress[event].codes |= UInt64(attributes) << PackedEvent.attributesShift
  }
}

/// Takes batches of parsed events; called from several threads at once.
public protocol EventSink: Sendable {
  /// The dictionary whose codes the batches use.
  var dictionary: EventDictionary { get }
  /// Takes a batch; the batch can be reused afterwards.
  func append(_ batch: EventBatch) throws
  /// True if no further chunk should be begun for this sink.
  var isFull: Bool { get }
}
