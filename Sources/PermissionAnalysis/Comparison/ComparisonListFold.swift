// Counts the comparisons of many experiments in one walk: each user goes to the comparisons of the experiments that its events carry.

import Buffers
import Folding
import PermissionEvents

/// Comparisons each of one experiment. A walk for each would read every user once for each experiment.
package struct ComparisonListFold: Fold, ~Copyable {
  /// One for each question, with the contexts of its experiment alone.
  private let folds: UnsafeMutableBufferPointer<ComparisonFold>
  /// One for each permission and screen: what questions count of all users, whatever experiments there are.
  private let common: UnsafeMutableBufferPointer<ComparisonFold>
  /// By question the one that it belongs to.
  private let groups: [Int]
  /// By code of an experiment the indices of its questions.
  private let members: [[Int]]
  /// By context the code of its experiment, that of its permission, and its number among the contexts of its experiment.
  private let experiments: Buffer<UInt32>
  private let permissions: Buffer<UInt32>
  private let numbers: Buffer<UInt32>
  private let permissionCount: UInt32
  private var codes = Buffer<UInt32>()
  private var found: [Int] = []
  private var none = ComparisonSums()

  /// - Parameter questions: each names its experiment; all have the same windows, zone and selection.
  package init(_ questions: [ComparisonQuestion], contexts: HistoryContexts) {
    var experiments = Buffer<UInt32>()
    var permissions = Buffer<UInt32>()
    var numbers = Buffer<UInt32>()
    // The contexts of an experiment come after one for each permission, which stands for all other contexts.
    let others = contexts.permissions.indices.map {
      HistoryContexts.Context(permission: UInt32($0), variant: 0, experiment: 0)
    }
    var own = [[HistoryContexts.Context]](repeating: [], count: contexts.experiments.count)
    for context in contexts.contexts {
      experiments.append(context.experiment)
      permissions.append(context.permission)
      numbers.append(UInt32(own[Int(context.experiment)].count))
      own[Int(context.experiment)].append(context)
    }
    self.experiments = experiments
    self.permissions = permissions
    self.numbers = numbers
    permissionCount = UInt32(others.count)

    var codes: [[UInt8]: Int] = [:]
    for (code, name) in contexts.experiments.enumerated() where code > 0 { codes[name] = code }
    var members = [[Int]](repeating: [], count: contexts.experiments.count)
    var ofGroups: [Group: Int] = [:]
    var firsts: [ComparisonQuestion] = []
    folds = .allocate(capacity: questions.count)
    groups = questions.map { question in
      let group = Group(permission: Array(question.permission.utf8), screen: question.screen)
      if let number = ofGroups[group] { return number }
      ofGroups[group] = firsts.count
      firsts.append(question)
      return firsts.count - 1
    }
    for (number, question) in questions.enumerated() {
      let code = question.experiment.flatMap { codes[Array($0.utf8)] }
      if let code { members[code].append(number) }
      var narrow = contexts
      narrow.contexts = others + (code.map { own[$0] } ?? [])
      narrow.folds = max(1, questions.count)
      folds.initializeElement(at: number, to: ComparisonFold(question, contexts: narrow))
    }
    self.members = members
    common = .allocate(capacity: firsts.count)
    for (number, question) in firsts.enumerated() {
      common.initializeElement(at: number, to: ComparisonFold(ofAllUsers: question, contexts: contexts))
    }
  }

  private struct Group: Hashable {
    let permission: [UInt8]
    let screen: MessageScreen
  }

  package mutating func fold(_ user: borrowing UserHistory, into sums: inout ComparisonListSums) {
    for number in common.indices { common[number].fold(user, into: &none) }
    found.removeAll(keepingCapacity: true)
    for i in 0..<user.eventCount {
      let experiment = Int(experiments[user.context(i)])
      if !members[experiment].isEmpty, !found.contains(experiment) { found.append(experiment) }
    }
    for experiment in found {
      codes.removeAll()
      for i in 0..<user.eventCount {
        let context = user.context(i)
        let number =
          Int(experiments[context]) == experiment ? permissionCount + numbers[context] : permissions[context]
        let kind = user.unsafeCodes[i] & (1 << HistoryBatch.contextShift - 1)
        codes.append(number << HistoryBatch.contextShift | kind)
      }
      for number in members[experiment] {
        folds[number].fold(UserHistory(user, codes: codes.unsafeAddress), into: &none)
      }
    }
  }

  package mutating func finish(into sums: inout ComparisonListSums) {
    sums.groups = groups
    sums.own = folds.indices.map { number in
      var own = ComparisonSums()
      folds[number].finish(into: &own)
      return own
    }
    sums.common = common.indices.map { number in
      var all = ComparisonSums()
      common[number].finish(into: &all)
      return all
    }
  }

  deinit {
    folds.deinitialize()
    folds.deallocate()
    common.deinitialize()
    common.deallocate()
  }
}

/// The sums of a list of comparisons. They stay within one process.
package struct ComparisonListSums: FoldSums {
  package static let name = "comparisons 1"
  package static var layout: SumsLayout<Self> { [] }

  fileprivate var own: [ComparisonSums] = []
  fileprivate var common: [ComparisonSums] = []
  fileprivate var groups: [Int] = []

  package init() {}

  package mutating func add(_ other: Self) throws(SumsError) {
    guard !groups.isEmpty else {
      self = other
      return
    }
    for number in other.own.indices { try own[number].add(other.own[number]) }
    for number in other.common.indices { try common[number].add(other.common[number]) }
  }

  /// Of each question. Screens of other experiments are not among them: only a question without an experiment looks at these.
  package var sums: [ComparisonSums] {
    zip(own, groups).map { own, group in
      var sums = own
      sums.takeCounts(ofAllUsers: common[group])
      return sums
    }
  }
}
