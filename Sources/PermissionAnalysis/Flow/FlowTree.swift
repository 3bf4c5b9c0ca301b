// Lists of permissions as a tree: each list, and what it begins with.

/// The lists of an entry with their flows, and all their prefixes.
struct FlowTree {
  private(set) var lists: [FlowEntry.List] = []
  private(set) var nodes: [FlowNode] = []

  /// - Parameters:
  ///   - lists: in bytewise order; one may come several times, of several weeks.
  ///   - names: of permissions, in bytewise order.
  init(_ lists: some Sequence<FlowEntries.List>, _ names: [String]) {
    let outcomes = Outcome.settled.count
    var before: [UInt32]?
    // Places in `nodes` of the prefixes of the list at hand.
    var path: [Int] = []
    var flows = 0
    func end(_ permissions: [UInt32]) {
      self.lists.append(FlowEntry.List(permissions: permissions.map { names[Int($0)] }, flows: flows))
      flows = 0
    }
    for list in lists {
      let permissions = list.permissions
      if let before, before != permissions { end(before) }
      let common = zip(permissions, before ?? []).prefix { $0 == $1 }.count
      path.removeLast(path.count - min(common, path.count))
      before = permissions
      for step in permissions.indices {
        if step >= path.count {
          path.append(nodes.count)
          nodes.append(FlowNode(prefix: permissions[...step].map { names[Int($0)] }))
        }
        nodes[path[step]].outcomes.add(list.counts[step * outcomes..<(step + 1) * outcomes])
      }
      flows += list.counts.prefix(outcomes).reduce(0) { $0 + Int($1) }
      guard let last = path.last else { continue }
      nodes[last].endedByOutcome.add(list.counts[(permissions.count - 1) * outcomes..<permissions.count * outcomes])
      if permissions.count == FlowQuestion.mostSteps {
        let more = list.counts[FlowSums.more...]
        nodes[last].endedByOutcome.add(more, -1)
        nodes[last].more += more.reduce(0) { $0 + Int($1) }
      }
    }
    if let before { end(before) }
  }
}
