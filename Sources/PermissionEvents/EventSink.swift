// The border between reading exports and keeping events.

/// Takes batches of parsed events; called from several threads at once.
public protocol EventSink: Sendable {
  /// The dictionary whose codes the batches use.
  var dictionary: EventDictionary { get }
  /// Takes a batch; the batch can be reused afterwards.
  func append(_ batch: EventBatch) throws
  /// True where no further chunk should be begun for this sink.
  var isFull: Bool { get }
}
