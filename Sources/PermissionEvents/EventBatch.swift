// A batch of packed events: a parser fills it from one chunk of input and hands it to the log. Owned by
// one thread and reused, so that no event costs an allocation.

import Buffers

/// Events of one chunk of the input, with the texts of those ids that are not UUIDs.
public final class EventBatch {
  /// Ordinal of the chunk in the input, from 0.
  @exclusivity(unchecked) public var chunk: UInt64 = 0
  // Unchecked, as the chunk: one thread owns a batch, and an access lasts no longer than a call.
  @usableFromInline @exclusivity(unchecked) var memory = Buffer<PackedEvent>(capacity: 8192)
  @exclusivity(unchecked) public private(set) var texts: ContiguousArray<UInt8> = []
  /// The links in the chunk's records.
  @exclusivity(unchecked) public var links: [UserLink] = []
  /// The numbers of the chunk's rows, those of events after `resolveNumbers`.
  @exclusivity(unchecked) public var numbers: ContiguousArray<EventNumber> = []
  @exclusivity(unchecked) private var numbersOfEvents: ContiguousArray<NumberOfEvent> = []

  /// Chunks that fit in an event's sequence. The number after the last marks events that were stored before.
  public static let maximumChunks: UInt64 = 1 << 22 - 1
  /// Events that fit in a batch.
  public static let maximumEvents = 1 << 16

  public init() {}

  public var count: Int { memory.count }

  /// Whether it has nothing for a log.
  public var isEmpty: Bool { count == 0 && links.isEmpty && numbers.isEmpty }

  /// The batch's events; valid until the batch is changed.
  public var events: UnsafeBufferPointer<PackedEvent> { UnsafeBufferPointer(start: memory.unsafeAddress, count: count) }

  public func removeAll() {
    memory.removeAll()
    links.removeAll(keepingCapacity: true)
    numbers.removeAll(keepingCapacity: true)
    numbersOfEvents.removeAll(keepingCapacity: true)
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
    assert(memory.count < Self.maximumEvents, "an event's index in its chunk would not fit in its sequence")
    let sequence = chunk << 16 | UInt64(truncatingIfNeeded: memory.count)
    // Word by word: an event that is assembled elsewhere and copied in larger pieces would stall the processor.
    let slot = memory.unsafeAppend()
    slot.pointee.userHash = userHash
    slot.pointee.userWord = user.form == .text ? user.high : user.low
    slot.pointee.order = PackedEvent.order(
      userForm: user.form, eventForm: event.form, time: time, kind: kind, sequence: sequence)
    slot.pointee.eventHigh = event.high
    slot.pointee.eventLow = event.low
    slot.pointee.codes = PackedEvent.codes(context: context, attributes: attributes, sequence: sequence)
  }

  /// Appends a record that is not an event, for the event that it may have been (`PackedEvent.noEvent`).
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

  /// Notes the number of an event of the batch.
  public func note(counter: UInt64, number: UInt64, ofEvent event: Int) {
    numbersOfEvents.append(NumberOfEvent(event: event, counter: counter, number: number))
  }

  /// Adds the numbers of events to the others. Until now their attributes may not have had their codes.
  public func resolveNumbers() {
    for one in numbersOfEvents {
      let event = memory.unsafeAddress[one.event]
      numbers.append(
        EventNumber(
          counter: one.counter, number: one.number, user: event.userHash, time: event.time, attributes: event.attributes
        ))
    }
    numbersOfEvents.removeAll(keepingCapacity: true)
  }

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
  /// Whether no further chunk should be begun for this sink.
  var isFull: Bool { get }
}

// MARK: An event in 48 bytes, as events travel from the parsers through the sort to the
// encoder. It is never written to a file that outlives the process.

/// One event, packed. Words are in host order.
public struct PackedEvent: BitwiseCopyable, Sendable {
  /// `UserHash` of the user id.
  public var userHash: UInt64
  /// Low word of the user's UUID; for a text id its range in the batch's texts (`TextRange`).
  public var userWord: UInt64
  /// Time (42 bits), kind (4), form of the user id (2), form of the event id (2), high part of the sequence (14).
  /// The first 46 bits are the order of a user's events, up to the event id.
  public var order: UInt64
  /// High word of the event id's UUID; for an id in text its `TextRange`.
  public var eventHigh: UInt64
  /// Low word of the event id's UUID.
  public var eventLow: UInt64
  /// Code of the context (20 bits), of the attributes (20), low part of the sequence (24).
  public var codes: UInt64

  /// The word `order`.
  @inlinable
  @inline(__always)
  static func order(
    userForm: IdentifierForm, eventForm: IdentifierForm, time: Milliseconds, kind: EventKind, sequence: UInt64
  ) -> UInt64 {
    UInt64(truncatingIfNeeded: time) << 22 | UInt64(kind.rawValue) << 18 | UInt64(userForm.rawValue) << 16
      | UInt64(eventForm.rawValue) << 14 | sequence >> 24
  }

  /// The word `codes`.
  @inlinable
  @inline(__always)
  static func codes(context: UInt32, attributes: UInt32, sequence: UInt64) -> UInt64 {
    UInt64(context) << 44 | UInt64(attributes) << attributesShift | sequence & 0xFF_FFFF
  }

  public static let timeShift: UInt64 = 22
  public static let kindShift: UInt64 = 18
  @usableFromInline static let attributesShift: UInt64 = 24

  public var time: Milliseconds { Milliseconds(truncatingIfNeeded: order >> Self.timeShift) }
  public var kindCode: UInt8 { UInt8(truncatingIfNeeded: order >> Self.kindShift) & 15 }
  /// Time and kind: the order of a user's events, up to the event id.
  public var timeAndKind: UInt64 { order >> Self.kindShift }
  public var userForm: UInt8 { UInt8(truncatingIfNeeded: order >> 16) & 3 }
  public var eventForm: UInt8 { UInt8(truncatingIfNeeded: order >> 14) & 3 }
  public var context: UInt32 { UInt32(truncatingIfNeeded: codes >> 44) }
  public var attributes: UInt32 { UInt32(truncatingIfNeeded: codes >> 24) & 0xF_FFFF }
  /// The position of the event in the input: chunk (22 bits), then row in the chunk (16 bits). No stored value depends on it.
  public var sequence: UInt64 { (order & 0x3FFF) << 24 | codes & 0xFF_FFFF }

  /// Of an event that a log had stored before: the rank of its part among the log's parts, at most 2^16 - 1. Nil for an event of the input.
  public var storedRank: UInt64? { sequence >> 16 == EventBatch.maximumChunks ? sequence & 0xFFFF : nil }

  /// Whether many rows of a day make this one event.
  @inline(__always)
  public var isDaily: Bool { DerivedEventID.isDaily(kind: kindCode, form: eventForm, low: eventLow) }

  /// The kind of a record that is not an event: an ingest that replaces removes the event with its id from the log.
  public static let noEvent: UInt8 = 15

  /// The event under another user's id.
  public mutating func rename(userHash: UInt64, user: EventBatch.Identifier) {
    self.userHash = userHash
    userWord = user.form == .text ? user.high : user.low
    order = order & ~(3 << 16) | UInt64(user.form.rawValue) << 16
  }
}

extension PackedEvent {
  /// An event that a log had stored, on its way to another part.
  /// - Parameters:
  ///   - user: with the hash of its id.
  ///   - rank: of the part that has it.
  public init(
    userHash: UInt64, user: EventBatch.Identifier, event: EventBatch.Identifier, time: Milliseconds, kind: EventKind,
    context: UInt32, attributes: UInt32, rank: UInt64
  ) {
    let sequence = EventBatch.maximumChunks << 16 | min(rank, 0xFFFF)
    self.userHash = userHash
    userWord = user.form == .text ? user.high : user.low
    order = Self.order(userForm: user.form, eventForm: event.form, time: time, kind: kind, sequence: sequence)
    (eventHigh, eventLow) = (event.high, event.low)
    codes = Self.codes(context: context, attributes: attributes, sequence: sequence)
  }
}

/// The range of an id's text in an array of bytes: offset (48 bits) and length (16 bits) in one word.
public struct TextRange: Sendable {
  public let word: UInt64
  @inline(__always) public init(word: UInt64) { self.word = word }
  @inline(__always) public init(offset: Int, count: Int) { word = UInt64(offset) << 16 | UInt64(count) }
  public var offset: Int { Int(word >> 16) }
  public var count: Int { Int(word & 0xFFFF) }
}
