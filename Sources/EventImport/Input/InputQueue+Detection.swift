// Tells the form of a file or member, and decides what becomes of one whose form is not known: what was named is refused,
// what was found and has nothing to do with events is left out and named.

extension InputQueue {
  /// Called under the lock.
  /// - Parameter document: where the head is what an envelope held, the head of the file that has the envelope.
  func detect(_ head: [UInt8], name: String, document: [UInt8]? = nil) throws(ImportError) -> DetectedFormat {
    let wasNamed = !isFound && archive == nil
    if !wasNamed, format != .auto, document == nil, isNothing(name, head) { return .skipped(.noEvents) }
    do {
      return try DetectedFormat(head: head, format: format, formats: formats, name: name, document: document)
    } catch {
      guard error.code == .unknownFormat, !wasNamed else { throw error.naming(draft: path) }
      let all = document ?? head
      let sketch = HeadSketch(all, isCut: FileHead.isCut(all))
      if UnrelatedFile.isOne(name: name, head: all, sketch: sketch) { return .skipped(.noEvents) }
      throw error.naming(draft: path).found(inArchive: archive != nil)
    }
  }

  /// A form that was asked for is that of the exports, not of what lies beside them.
  private func isNothing(_ name: String, _ head: [UInt8]) -> Bool {
    if head.isEmpty { return false }
    if let content = ForeignContent(head) { return !content.mayHoldEvents }
    return UnrelatedFile.isUnrelated(name: name)
  }
}
