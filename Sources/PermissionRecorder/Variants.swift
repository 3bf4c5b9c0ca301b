// Which message of an experiment an install gets, without asking anybody.

import Foundation

extension Variant {
  /// GrowthBook's hash of version 2, in 0, 1, … 9999: FNV-1a of 32 bits over the experiment's name and the install's id, and again over the
  /// digits of that. For names in ASCII every library of GrowthBook gives the same with the name as its seed.
  static func bucket(_ experiment: String, _ install: String) -> Int {
    func hash(_ text: String) -> UInt32 { text.utf16.reduce(0x811C_9DC5) { ($0 ^ UInt32($1)) &* 0x0100_0193 } }
    return Int(hash(String(hash(experiment + install))) % 10_000)
  }

  /// Where each message's buckets end. Weights are shares of 1; nil for equal ones.
  static func ends(_ names: [String], _ weights: [Double]?) -> [Int] {
    let shares = weights?.count == names.count ? weights ?? [] : names.map { _ in 1 / Double(names.count) }
    var sum = 0.0
    return shares.map { share in
      sum = min(1, sum + (share > 0 ? min(share, 1) : 0))
      return Int((sum * 10_000).rounded(.up))
    }
  }

  /// The rule as an event has it, so that `permlog audit` can compute the messages again: `hash2 5000:A,10000:B`, each with the end of its
  /// buckets. nil for names that it cannot say.
  static func rule(_ names: [String], _ ends: [Int]) -> String? {
    guard !names.contains(where: { $0.isEmpty || $0.contains(",") }) else { return nil }
    let text = "hash2 " + zip(ends, names).map { "\($0):\($1)" }.joined(separator: ",")
    return text.utf8.count <= Event.longest ? text : nil
  }
}

extension PermissionRecorder {
  /// The message of an experiment that this install shows: always the same one, without a network, and the same that GrowthBook's libraries
  /// would choose with the experiment's name as their seed. The first call records it. Hand it to `ask`.
  ///
  /// - Parameters:
  ///   - names: of the messages. If the one that this install has is no longer among them, it gets another one.
  ///   - weights: their shares of 1; equal ones without. Users above their sum are not in the experiment.
  /// - Returns: nil for users who are not in the experiment, and if nothing may be recorded: show what you show without it.
  public func variant(_ experiment: String, _ names: [String], weights: [Double]? = nil) -> Variant? {
    let names = names.compactMap { Event.bounded($0) }
    guard let experiment = Event.bounded(experiment), !names.isEmpty else { return nil }
    return change { journal -> Variant? in
      guard let install = journal.state.install else { return nil }
      if let name = journal.state.variants[experiment], names.contains(name) {
        return Variant(experiment: experiment, name: name)
      }
      let (ends, bucket) = (Variant.ends(names, weights), Variant.bucket(experiment, install))
      guard let index = ends.firstIndex(where: { bucket < $0 }) else { return nil }
      var event = self.event(.assigned)
      (event.experiment, event.variant, event.surface) = (experiment, names[index], Variant.rule(names, ends))
      try journal.append(event)
      return Variant(experiment: experiment, name: names[index])
    } ?? nil
  }
}
