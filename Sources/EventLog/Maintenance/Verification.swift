// Reads every byte of a log and checks it: checksums, and that what they cover makes sense together.

/// What `verify` found.
package struct Verification: Sendable {
  package var parts = 0
  package var blocks = 0
  package var events = 0
  package var bytes = 0
  /// One sentence for each piece that is not what was written.
  package var damage: [String] = []
}

extension LogDirectory {
  /// Checks all files of the log; throws only where there is no log or a system call fails.
  package func verify() throws -> Verification {
    var result = Verification()
    let manifest: Manifest
    do {
      manifest = try readManifest()
    } catch let error as LogError where error.code == .damaged {
      result.damage.append(error.message)
      return result
    }
    result.bytes += manifest.encode().count
    for description in manifest.parts {
      do {
        try verify(description, &result)
      } catch let error as LogError where error.code == .damaged {
        result.damage.append(error.message)
      } catch let error as FileError where error.isMissingFile {
        // A writer may have committed meanwhile; then its state is the one to check.
        if (try? readManifest()) != manifest { return try verify() }
        result.damage.append("\(error.path): the manifest names this part and it is missing")
      }
    }
    return result
  }

  private func verify(_ description: PartDescription, _ result: inout Verification) throws {
    let part = try PartReader(description, directory: path, files: files)
    let block = try DecodedBlock(part: part)
    result.parts += 1
    result.bytes += Int(description.length)
    for i in part.footer.blocks.indices {
      do {
        try block.open(i)
        try block.verify()
        result.blocks += 1
        result.events += block.rows
      } catch let error as LogError where error.code == .damaged {
        result.damage.append(error.message)
      }
    }
  }
}
