// Reads every byte of a log and checks it: checksums, and that what they cover makes sense together.

import PermissionEvents

/// What `verify` found.
package struct Verification: Sendable {
  package var parts = 0
  package var blocks = 0
  package var events = 0
  package var bytes = 0
  /// False where the manifest is damaged, so that nothing tells which parts are live and what is missing.
  package var hasManifest = true
  /// One sentence for each piece that is not what was written.
  package var damage: [String] = []
  /// What is no damage and worth knowing: files of an interrupted writer, files of others.
  package var notes: [String] = []
  /// Whole parts by id, with the damaged blocks of each.
  var readable: [(id: UInt64, description: PartDescription?, damagedBlocks: Set<Int>)] = []
  /// Events in damaged parts and blocks, as far as footers and manifest tell.
  package var lostEvents = 0

  fileprivate mutating func note(_ error: LogError) { damage.append(error.finding) }
}

extension LogDirectory {
  /// Checks all files of the log; throws only where there is no log or a system call fails.
  package func verify() throws -> Verification {
    var result = Verification()
    var manifest: Manifest?
    do {
      manifest = try readManifest()
    } catch let error as LogError where error.code == .damaged {
      result.note(error)
      result.hasManifest = false
    }
    if let manifest {
      result.bytes += manifest.encode().count
      for description in manifest.parts { try verify(description.id, description, &result) }
      try verifyErasures(manifest, &result)
      // A writer may have committed meanwhile and removed files; then its state is the one to check.
      if !result.damage.isEmpty, (try? readManifest()) != manifest { return try verify() }
    } else {
      // Nothing tells which parts are live; each is checked by itself.
      for id in try files.list(path).compactMap({ PartDescription.id(name: $0) }).sorted() {
        try verify(id, nil, &result)
      }
    }
    try verifyLock(&result)
    try listOthers(manifest, &result)
    return result
  }

  private func verify(_ id: UInt64, _ description: PartDescription?, _ result: inout Verification) throws {
    do {
      let part = try PartReader(id: id, expected: description, directory: path, files: files)
      let block = try DecodedBlock(part: part)
      result.parts += 1
      result.bytes += Int(part.description.length)
      var damagedBlocks: Set<Int> = []
      for i in part.footer.blocks.indices {
        do {
          try block.open(i)
          try block.verify()
          result.blocks += 1
          result.events += block.rows
        } catch let error as LogError where error.code == .damaged {
          result.note(error)
          damagedBlocks.insert(i)
          result.lostEvents += Int(part.footer.blocks[i].rows)
        }
      }
      result.readable.append((id, description, damagedBlocks))
    } catch let error as LogError where error.code == .damaged {
      result.note(error)
      result.lostEvents += Int(clamping: description?.rows ?? 0)
    } catch let error as FileError where error.isMissingFile {
      result.damage.append("\(error.path): the manifest names this part and it is missing")
      result.lostEvents += Int(clamping: description?.rows ?? 0)
    }
  }

  private func verifyErasures(_ manifest: Manifest, _ result: inout Verification) throws {
    do {
      if let list = try readErasures(manifest), let description = manifest.erasures {
        result.bytes += list.encode(id: description.id).bytes.count
      }
    } catch let error as LogError where error.code == .damaged {
      result.note(error)
    }
  }

  /// The lock is empty, or says who holds it or held it when it was killed.
  private func verifyLock(_ result: inout Verification) throws {
    let bytes: [UInt8]
    do {
      bytes = try contents(Self.lockName, maximum: 1 << 12)
    } catch let error as FileError where error.isMissingFile {
      return
    } catch let error as LogError {
      return result.note(error)
    }
    result.bytes += bytes.count
    guard !bytes.isEmpty, LockText.holder(bytes) == nil else { return }
    result.damage.append(
      "\(file(Self.lockName)), offset 0: it is not what a writer leaves there; the next command that writes empties it"
    )
  }

  private func listOthers(_ manifest: Manifest?, _ result: inout Verification) throws {
    if let manifest {
      for name in try leftovers(manifest).sorted() where manifest == (try? readManifest()) {
        result.notes.append("\(file(name)): left by a writer that was interrupted; the next one removes it.")
      }
    }
    for name in try files.list(path).filter({ !Self.isOurs($0) }).sorted() {
      result.notes.append("\(file(name)): not a file of the log; nothing reads it.")
    }
  }
}
