// What reading the head of a file makes of it: a draft says so, and that a file is read at all only if it is.

import EventMapping
import PermissionEvents
import Threads

/// Counts of a head that was read, with nothing stored.
package struct DraftTrial: Sendable, Equatable {
  package var lines = 0
  package var events = 0
  package var unmapped = 0
  package var rejected = 0
  /// The most frequent reason of a rejection.
  package var reason: String?

  /// Reads the head of a file.
  /// - Parameter mapping: to read it with; nil for what permlog knows by itself.
  /// - Returns: nil if the head is not read at all.
  package init?(_ sketch: HeadSketch, mapping: String?) {
    var options = ImportOptions(allowFuture: true, allowCustomPermissions: true, now: Timestamp.latest - 1)
    options.keepsPartial = true
    let reasons = Mutex<[String: Int]>([:])
    do {
      if let mapping { options.mappings = [try Mapping(yaml: Array(mapping.utf8), name: "draft")] }
      let session = try ImportSession(
        .bytes(sketch.wholeLines, name: "-"), options: options,
        onReject: { line in reasons.withLock { $0[line.group, default: 0] += 1 } })
      guard try session.run(into: CountingSink()) else { return nil }
      let counts = session.counts
      (lines, events, unmapped, rejected) = (counts.lines, counts.events, counts.unmapped, counts.rejected)
    } catch {
      return nil
    }
    reason = reasons.withLock { all in all.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key }
  }

  var text: String {
    func count(_ number: Int, _ one: String, _ many: String) -> String { "\(number) \(number == 1 ? one : many)" }
    return
      "\(count(events, "event", "events")) of \(count(lines, "record", "records")), \(unmapped) not understood or not stored, "
      + "\(rejected) rejected" + (reason.map { " (most often: \($0))" } ?? "")
  }
}

/// Takes events and keeps none.
private final class CountingSink: EventSink {
  let dictionary = EventDictionary()
  var isFull: Bool { dictionary.isFull }
  func append(_ batch: EventBatch) throws {}
}
