// From the keys that apps send to the logs of their events.

import Foundation
import Permlog

/// Where the events of a key go, and how they are read.
struct EventStream: Sendable {
  /// The key as the settings have it.
  var key: String
  var writer: LogWriter
  var options: IngestOptions
  /// The vendor whose preset the key's mapping extends; nil without a mapping, or if it is for canonical events.
  var mappedVendor: String?

  /// How events of a form are read: every line in this form, or rejected by itself.
  func options(for form: WireForm) -> IngestOptions {
    var options = options
    options.format = form.format
    options.isFormFixed = true
    // Most events of an app are not about permissions.
    options.acceptsNothing = true
    guard !options.mappings.isEmpty else { return options }
    if form == .canonical {
      // A mapping of one's own describes one's own events.
      if mappedVendor == nil { options.format = .auto } else { options.mappings = [] }
    } else if mappedVendor != form.rawValue {
      options.mappings = []
    }
    return options
  }
}

/// All streams of a server.
struct EventStreams: Sendable {
  private let streams: [String: EventStream]
  private let any: EventStream?
  /// One a log.
  let writers: [LogWriter]
  /// The files of keys of each log.
  private let keysOfLogs: [String: [String?]]

  /// One path for a log, however it is written.
  static func place(_ log: String) -> String {
    URL(fileURLWithPath: log).standardizedFileURL.resolvingSymlinksInPath().path
  }

  /// - Parameter clock: the time for tests; nil for the machine's.
  /// - Throws: if a mapping or a key's file cannot be read.
  init(_ settings: ServerSettings, reusing former: EventStreams? = nil) throws {
    var writers: [String: LogWriter] = [:]
    var keysOfLogs: [String: [String?]] = [:]
    for key in settings.keys { keysOfLogs[Self.place(key.log)] = [key.hashUsers, key.erasureKey] }
    // A writer has the keys of its log for good: with other keys there is another one.
    for writer in former?.writers ?? [] where former?.keysOfLogs[writer.log.path] == keysOfLogs[writer.log.path] {
      writers[writer.log.path] = writer
    }
    var streams: [String: EventStream] = [:]
    for key in settings.keys {
      var options = IngestOptions()
      var vendor: String?
      if let path = key.mapping {
        // Read now: while somebody edits the file, the former text holds.
        let text = try MappingSource.file(path).content()
        options.mappings = [text]
        vendor = try text.extendedPreset()
      }
      options.inputTimeZone = key.inputTimeZone
      options.identity = key.identity.flatMap { ReadingOptions.Identity(rawValue: $0) } ?? .device
      options.allowsCustomPermissions = key.customPermissions ?? false
      options.erasureKey = key.erasureKey.map { .file($0) }
      if let path = key.hashUsers { options.userKey = try UserKey(contentsOf: path) }
      let writer: LogWriter
      let place = Self.place(key.log)
      if let known = writers[place] {
        writer = known
      } else {
        var log = try PermissionLog(place)
        // Somebody may ingest or erase meanwhile; the bodies wait on the disk.
        log.lockPatience = LockPatience(limit: 30_000)
        var limits = LogWriter.Limits()
        // The intake bounds what it hands over.
        limits.waitingBytes = 1 << 40
        writer = LogWriter(log, options: options, limits: limits)
        writers[place] = writer
      }
      streams[key.key] = EventStream(key: key.key, writer: writer, options: options, mappedVendor: vendor)
    }
    self.streams = streams
    self.keysOfLogs = keysOfLogs
    any = settings.acceptsAnyKey == true ? streams.values.first : nil
    self.writers = writers.filter { keysOfLogs[$0.key] != nil }.values.sorted { $0.log.path < $1.log.path }
  }

  var all: [EventStream] { streams.values.sorted { $0.key < $1.key } }

  func isKnown(_ key: String?) -> Bool { key.map { streams[$0] != nil } ?? false }

  /// The stream of a key; nil for an unknown one.
  func stream(of key: String?) -> EventStream? { key.flatMap { streams[$0] } ?? any }
}
