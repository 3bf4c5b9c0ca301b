// What the table of flows would count on average, added up question by question.

/// Expected numbers of one kind of flow: the first of a user, or a later one.
struct ExpectedFlows {
  struct Node {
    /// The permissions asked for so far.
    var prefix: [Int]
    var flows = 0.0
    /// By outcome of the last one.
    var outcomes = [Double](repeating: 0, count: AskOutcome.allCases.count)
    var wentOn = 0.0
  }

  var flows = 0.0
  var nodes: [Node] = []
  /// By permission, then by place in the flow.
  var byPosition = [[ExpectedRate]](
    repeating: [ExpectedRate](repeating: ExpectedRate(), count: 3), count: OnboardingPermission.all.count)
  /// By permission, then by the outcome before; the last is of first questions.
  var byOutcomeBefore = [[ExpectedRate]](
    repeating: [ExpectedRate](repeating: ExpectedRate(), count: AskOutcome.allCases.count + 1),
    count: OnboardingPermission.all.count)
  /// Of flows that begin with the first declared permission: how many reach each, and answer it.
  var reached = [Double](repeating: 0, count: OnboardingTruth.declared.count)
  var answered = [Double](repeating: 0, count: OnboardingTruth.declared.count)

  /// A question at the end of a prefix.
  /// - Parameter wentOn: the share of an outcome that goes on.
  mutating func add(
    _ weight: Double, _ asking: OnboardingAsking, _ prefix: [Int], _ shares: OutcomeShares,
    wentOn: (AskOutcome) -> Double
  ) {
    if asking.position == 0 { flows += weight }
    byPosition[asking.permission][asking.position].add(weight, shares)
    byOutcomeBefore[asking.permission][asking.before?.rawValue ?? AskOutcome.allCases.count].add(weight, shares)
    let place = nodes.firstIndex { $0.prefix == prefix } ?? nodes.count
    if place == nodes.count { nodes.append(Node(prefix: prefix)) }
    nodes[place].flows += weight
    for outcome in AskOutcome.allCases {
      nodes[place].outcomes[outcome.rawValue] += weight * shares[outcome]
      nodes[place].wentOn += weight * shares[outcome] * wentOn(outcome)
    }
    if let step = Self.declaredStep(prefix) {
      reached[step] += weight
      answered[step] += weight * (1 - shares.droppedOff)
    }
  }

  /// Which of the declared steps the last permission of a prefix is; nil if the flow has not begun with the first, or steps before this
  /// one are missing, or it is none.
  private static func declaredStep(_ prefix: [Int]) -> Int? {
    var next = 0
    var step: Int?
    for (place, permission) in prefix.enumerated() {
      step = nil
      if next < OnboardingTruth.declared.count, permission == OnboardingTruth.declared[next] {
        step = next
        next += 1
      } else if place == 0 {
        return nil
      }
    }
    return step
  }
}

extension ExpectedFlows {
  static func + (one: ExpectedFlows, other: ExpectedFlows) -> ExpectedFlows {
    var sum = one
    sum.flows += other.flows
    for node in other.nodes {
      guard let place = sum.nodes.firstIndex(where: { $0.prefix == node.prefix }) else {
        sum.nodes.append(node)
        continue
      }
      sum.nodes[place].flows += node.flows
      sum.nodes[place].wentOn += node.wentOn
      for i in node.outcomes.indices { sum.nodes[place].outcomes[i] += node.outcomes[i] }
    }
    for permission in sum.byPosition.indices {
      sum.byPosition[permission] = zip(sum.byPosition[permission], other.byPosition[permission]).map { $0 + $1 }
      sum.byOutcomeBefore[permission] = zip(sum.byOutcomeBefore[permission], other.byOutcomeBefore[permission])
        .map { $0 + $1 }
    }
    sum.reached = zip(sum.reached, other.reached).map { $0 + $1 }
    sum.answered = zip(sum.answered, other.answered).map { $0 + $1 }
    return sum
  }
}
