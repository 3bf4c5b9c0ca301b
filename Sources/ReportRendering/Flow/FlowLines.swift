// The tree of flows for people: branches with the most flows first, and no more of them than anybody reads.

import PermissionAnalysis

/// A branch of the tree: who came there, and the branches that follow.
struct FlowBranch {
  var node: FlowNode
  var children: [FlowBranch] = []

  /// The first permissions of all flows, with all that follows.
  /// - Parameter tree: bytewise, so that a branch follows what it begins with.
  static func all(_ tree: [FlowNode]) -> [FlowBranch] {
    var rest = tree[...]
    return take(&rest, depth: 1)
  }

  private static func take(_ rest: inout ArraySlice<FlowNode>, depth: Int) -> [FlowBranch] {
    var branches: [FlowBranch] = []
    while let node = rest.first, node.prefix.count == depth {
      rest.removeFirst()
      branches.append(FlowBranch(node: node, children: take(&rest, depth: depth + 1)))
    }
    // A stable order: equal ones stay in that of their names.
    return branches.enumerated().sorted { a, b in
      (-a.element.node.flows, a.offset) < (-b.element.node.flows, b.offset)
    }.map(\.element)
  }
}

/// Branches as lines, each under the one that it follows.
struct FlowLines {
  let shown: [FlowNode]
  let leftOut: Int

  /// - Parameter most: lines; those of the most flows.
  init(_ tree: [FlowNode], most: Int) {
    // A branch has no more flows than the one before it, which has the lower place.
    let chosen = Set(
      tree.indices.sorted { (-tree[$0].flows, $0) < (-tree[$1].flows, $1) }.prefix(most))
    let kept = tree.indices.filter(chosen.contains).map { tree[$0] }
    var lines: [FlowNode] = []
    func add(_ branches: [FlowBranch]) {
      for branch in branches {
        lines.append(branch.node)
        add(branch.children)
      }
    }
    add(FlowBranch.all(kept))
    shown = lines
    leftOut = tree.count - kept.count
  }
}
