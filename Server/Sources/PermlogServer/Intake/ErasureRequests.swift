// Erasures that phones ask for. Each rewrites files, so that those that wait are made together.

/// Puts requests together.
actor ErasureRequests {
  private let erase: @Sendable ([String]) async throws -> Void
  private var waiting: [(user: String, done: CheckedContinuation<Void, any Error>)] = []
  private var isErasing = false

  static let mostWaiting = 1000
  private static let mostAtOnce = 50

  init(_ erase: @escaping @Sendable ([String]) async throws -> Void) { self.erase = erase }

  /// Returns when the user is erased.
  /// - Returns: false if too many wait.
  func erase(_ user: String) async throws -> Bool {
    guard waiting.count < Self.mostWaiting else { return false }
    try await withCheckedThrowingContinuation { done in
      waiting.append((user, done))
      guard !isErasing else { return }
      isErasing = true
      Task { await eraseAll() }
    }
    return true
  }

  private func eraseAll() async {
    while !waiting.isEmpty {
      let group = Array(waiting.prefix(Self.mostAtOnce))
      waiting.removeFirst(group.count)
      do {
        try await erase(Array(Set(group.map(\.user))))
        for one in group { one.done.resume() }
      } catch {
        for one in group { one.done.resume(throwing: error) }
      }
    }
    isErasing = false
  }
}
