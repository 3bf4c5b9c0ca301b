// Properties that rows carry again and again, with the variant of an experiment or the state of a permission: what an import
// says of them.

import EventMapping
import PermissionEvents
import Threads

/// A property of any row.
public struct CarriedProperty: Sendable, Hashable {
  /// The experiment, or the state's property.
  public var name: String
  /// Of a state; nil for an experiment.
  public var permission: String?
  /// Variants, or statuses, with their users, the most users first; empty if they were not counted.
  public var values: [Value] = []

  public struct Value: Sendable, Hashable {
    public var text: String
    /// Exact up to 4,096 users; an estimate above.
    public var users: Int
    public var isEstimate: Bool { users > DistinctCount.kept }
  }

  init(_ property: StickyProperty) { (name, permission) = (property.name, property.permission) }
}

/// What an import found of such properties.
public struct CarriedProperties: Sendable {
  /// Those that nothing reads: experiments, then states, by name.
  public var unread: [CarriedProperty] = []
  /// Those of the options that no row carries with a value that is understood. Canonical rows never do: they have events.
  public var missing: [CarriedProperty] = []
  /// Permissions of which the log has states of several properties, after the ingest.
  public var mixed: [(permission: String, properties: [String])] = []
  /// States of which a value is not understood, with the first such value by its bytes.
  public var notUnderstood: [(property: CarriedProperty, value: String)] = []

  init(_ tally: StickyTally, wanted: [StickyProperty]) {
    func sorted(_ properties: some Sequence<StickyProperty>) -> [CarriedProperty] {
      properties.map { CarriedProperty($0) }.sorted { ($0.permission ?? "", $0.name) < ($1.permission ?? "", $1.name) }
    }
    // A copy of what the tool's own rows say is not missed.
    unread = sorted(tally.unread.filter { !$0.isExperiment || !tally.assigned.contains($0.name) })
    missing = sorted(wanted.filter { !tally.read.contains($0) })
    notUnderstood = sorted(tally.notUnderstood.keys).map { property in
      let key = StickyProperty(state: property.name, permission: property.permission ?? "")
      return (property, String(bounded: tally.notUnderstood[key] ?? []))
    }
  }
}

/// Counts users by value while files are read with some properties.
package final class CarriedUsers: EventSink {
  package let dictionary = EventDictionary()
  package var isFull: Bool { dictionary.isFull }

  private struct Key: Hashable {
    var name: [UInt8]
    var value: [UInt8]
  }

  private let users = Mutex<[Key: DistinctCount]>([:])
  private static let mostValues = 1000

  package init() {}

  package func append(_ batch: EventBatch) throws {
    let contents = dictionary.contents
    users.withLock { users in
      for event in batch.events {
        let context = contents.contexts[Int(event.context)]
        let key: Key
        switch event.kindCode {
        case EventKind.assigned.rawValue:
          key = Key(
            name: contents.values[StringField.experiment.rawValue][Int(context.experiment)],
            value: contents.values[StringField.variant.rawValue][Int(context.variant)])
        case EventKind.statusChecked.rawValue where event.isDaily:
          key = Key(
            name: contents.values[StringField.surface.rawValue][Int(context.surface)],
            value: Array(context.status.name.utf8))
        default: continue
        }
        guard users[key] != nil || users.count < Self.mostValues else { continue }
        users[key, default: DistinctCount()].add(UserHash.mix(event.userHash))
      }
    }
  }

  /// A property with its values and users.
  package func counted(_ property: CarriedProperty) -> CarriedProperty {
    var property = property
    let name = property.permission == nil ? property.name : StateSurface.prefix + property.name
    property.values = users.withLock { users in
      users.filter { $0.key.name.elementsEqual(name.utf8) }.map {
        CarriedProperty.Value(text: String(bounded: $0.key.value), users: $0.value.count)
      }.sorted { ($1.users, $0.text) < ($0.users, $1.text) }
    }
    return property
  }
}

/// How many different hashes there are: exact up to 4,096, then from the least of them (Bar-Yossef et al. 2002, k minimum values).
struct DistinctCount {
  private var hashes: Set<UInt64> = []
  /// Hashes above are not kept.
  private var limit = UInt64.max
  static let kept = 4096

  mutating func add(_ hash: UInt64) {
    guard hash <= limit, hashes.insert(hash).inserted, hashes.count >= 2 * Self.kept else { return }
    let least = hashes.sorted().prefix(Self.kept)
    hashes = Set(least)
    limit = least.last ?? .max
  }

  var count: Int {
    guard hashes.count > Self.kept else { return hashes.count }
    let last = hashes.sorted()[Self.kept - 1]
    return Int((Double(Self.kept - 1) / (Double(last) / 0x1p64)).rounded())
  }
}
