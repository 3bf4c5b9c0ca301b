// A batch of packed events: what a parser fills from one chunk of input and hands to the log. Owned by
// one thread and reused, so that no event costs an allocation.

/// Events of one chunk of the input, with the texts of those ids that are not UUIDs.
public final class EventBatch {
  /// Ordinal of the chunk in the input, from 0, in the order in which copies of an event take precedence.
  @exclusivity(unchecked) public var chunk: UInt64 = 0
  @usableFromInline @exclusivity(unchecked) var memory: UnsafeMutablePointer<PackedEvent>
  @usableFromInline @exclusivity(unchecked) var capacity = 8192
  @usableFromInline @exclusivity(unchecked) var used = 0
  @exclusivity(unchecked) public private(set) var texts: ContiguousArray<UInt8> = []

  /// Chunks that fit in an event's sequence.
  public static let maximumChunks: UInt64 = 1 << 22
  /// Events that fit in a batch.
  public static let maximumEvents = 1 << 16

  public init() { memory = .allocate(capacity: capacity) }

  deinit { memory.deallocate() }

  public var count: Int { used }

  /// The batch's events; valid until the batch is changed.
  public var events: UnsafeBufferPointer<PackedEvent> { UnsafeBufferPointer(start: memory, count: count) }

  public func removeAll() {
    used = 0
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

  /// Appends an event; the batch must not be full.
  @inlinable
  @inline(__always)
  public func append(
    userHash: UInt64, user: Identifier, event: Identifier, time: Milliseconds, kind: EventKind, context: UInt32,
    attributes: UInt32
  ) {
    assert(used < Self.maximumEvents, "an event's place in its chunk would not fit in its sequence")
    if used == capacity { grow() }
    let sequence = chunk << 16 | UInt64(truncatingIfNeeded: used)
    // Word by word: an event that is put together elsewhere and copied in larger pieces would have the processor wait.
    let place = memory + used
    place.pointee.userHash = userHash
    place.pointee.userWord = user.form == .text ? user.high : user.low
    place.pointee.order = PackedEvent.order(
      userForm: user.form, eventForm: event.form, time: time, kind: kind, sequence: sequence)
    place.pointee.eventHigh = event.high
    place.pointee.eventLow = event.low
    place.pointee.codes = PackedEvent.codes(context: context, attributes: attributes, sequence: sequence)
    used &+= 1
  }

  /// Sets the code of the attributes of an event that was appended with code 0.
  @inlinable
  @inline(__always)
  public func setAttributes(_ attributes: UInt32, of event: Int) {
    memory[event].codes |= UInt64(attributes) << PackedEvent.attributesShift
  }

  @inline(never)
  @usableFromInline
  func grow() {
    let larger = UnsafeMutablePointer<PackedEvent>.allocate(capacity: capacity * 2)
    larger.update(from: memory, count: used)
    memory.deallocate()
    memory = larger
    capacity *= 2
  }
}
