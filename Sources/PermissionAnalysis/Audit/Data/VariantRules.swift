// Messages that apps' recorders gave by a rule, computed again. The event `assigned` has the rule as its surface: `hash2 5000:A,10000:B`.

import Folding
import PermissionEvents

/// Users of an experiment and a version of the app whose message has a rule.
package struct VariantRuleCounts: Sendable, Hashable {
  package var experiment, version: String
  /// All of them, and those with another message than the rule gives.
  package var users, wrong: Int64
}

/// A rule: GrowthBook's hash of version 2 into 10,000 buckets, of which each message has those up to its end.
package struct VariantRule {
  private static let name = Array("hash2 ".utf8)
  private let ends: [(end: UInt32, variant: [UInt8])]

  package static func isRule(_ surface: some Collection<UInt8>) -> Bool { surface.starts(with: name) }

  /// - Returns: nil for a text that is no such rule.
  init?(_ surface: [UInt8]) {
    guard Self.isRule(surface) else { return nil }
    var ends: [(end: UInt32, variant: [UInt8])] = []
    for part in surface.dropFirst(Self.name.count).split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
    {
      guard let colon = part.firstIndex(of: UInt8(ascii: ":")), let end = UInt32(String(bounded: part[..<colon])),
        end <= Self.buckets, end >= ends.last?.end ?? 0
      else { return nil }
      ends.append((end, Array(part[(colon + 1)...])))
    }
    self.ends = ends
  }

  private static let buckets: UInt32 = 10_000

  /// The message of a user; nil if the user is in no bucket of a message.
  func variant(_ experiment: String, _ user: [UInt8]) -> [UInt8]? {
    let bucket = Self.hash(String(Self.hash((experiment + String(bounded: user)).utf16)).utf16) % Self.buckets
    return ends.first { bucket < $0.end }?.variant
  }

  /// FNV-1a of 32 bits.
  private static func hash(_ text: some Sequence<UInt16>) -> UInt32 {
    text.reduce(0x811C_9DC5) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
  }
}

/// Reads the first assignment of each user to each experiment.
package struct VariantRuleFold: Fold, ~Copyable {
  package static var selection: HistorySelection {
    HistorySelection(variants: true, attributes: [.appVersion], userIDs: true, surfaces: true)
  }

  private let contexts: HistoryContexts
  /// By context.
  private let rules: [VariantRule?]
  private let end: Milliseconds

  /// - Parameter end: the latest time that counts.
  package init(_ contexts: HistoryContexts, upTo end: Milliseconds) {
    (self.contexts, self.end) = (contexts, end)
    rules = contexts.contexts.map { context in
      context.permission == 0 && context.experiment != 0 ? VariantRule(contexts.surfaces[Int(context.surface)]) : nil
    }
  }

  package mutating func fold(_ user: borrowing UserHistory, into sums: inout VariantRuleSums) {
    var seen: Set<UInt32> = []
    for i in 0..<user.eventCount where user.unsafeCodes[i] & 15 == UInt32(KindCode.assigned) {
      let number = Int(user.unsafeCodes[i] >> HistoryBatch.contextShift)
      let context = contexts.contexts[number]
      guard let rule = rules[number], user.unsafeTimes[i] <= end, seen.insert(context.experiment).inserted else {
        continue
      }
      let experiment = String(bounded: contexts.experiments[Int(context.experiment)])
      let key = VariantRuleSums.Key(
        experiment: experiment, version: contexts.attribute(0, of: user.attributes(i)))
      let isWrong = rule.variant(experiment, user.id()) != contexts.variants[Int(context.variant)]
      sums.add(key, users: 1, wrong: isWrong ? 1 : 0)
    }
  }
}

/// They are never written to a file.
package struct VariantRuleSums: FoldSums {
  struct Key: Hashable {
    var experiment, version: String
  }

  package static let name = "variant rules 1"
  package static var layout: SumsLayout<Self> { [] }
  private var counts: [Key: (users: Int64, wrong: Int64)] = [:]

  package init() {}

  mutating func add(_ key: Key, users: Int64, wrong: Int64) {
    let sum = counts[key] ?? (0, 0)
    counts[key] = (sum.users + users, sum.wrong + wrong)
  }

  package mutating func add(_ other: VariantRuleSums) {
    for (key, count) in other.counts { add(key, users: count.users, wrong: count.wrong) }
  }

  package var rows: [VariantRuleCounts] {
    counts.map { .init(experiment: $0.experiment, version: $0.version, users: $1.users, wrong: $1.wrong) }
      .sorted { ($0.experiment, $0.version) < ($1.experiment, $1.version) }
  }
}

extension AuditReport {
  /// The most findings that are listed.
  private static let mostRules = 12

  /// - Parameter rules: nil if they were not looked at.
  static func candidates(_ rules: [VariantRuleCounts]?) -> [AuditFinding] {
    guard let rules, !rules.isEmpty else { return [AuditFinding(.wrongVariant, leftOut: .nothingToSee)] }
    let found = rules.filter { $0.wrong > 0 }.sorted {
      ($1.wrong, $0.experiment, $0.version) < ($0.wrong, $1.experiment, $1.version)
    }
    guard !found.isEmpty else { return [AuditFinding(.wrongVariant, leftOut: .belowThreshold)] }
    let listed = found.prefix(mostRules).map {
      AuditFinding(
        .wrongVariant, users: $0.wrong, of: $0.users, detail: .rule(experiment: $0.experiment, version: $0.version))
    }
    guard found.count > mostRules else { return listed }
    return listed + [AuditFinding(.wrongVariant, detail: .moreExperiments(found.count - mostRules), leftOut: .tooMany)]
  }
}
