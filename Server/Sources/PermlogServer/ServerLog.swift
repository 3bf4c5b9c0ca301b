// Lines for the operator: what happened, never who it was.

import Foundation
import Logging

/// The logger of the server: lines on standard error, which systemd keeps.
public enum ServerLog {
  public static let logger: Logger = {
    var logger = Logger(label: "permlog-server") { StreamLogHandler.standardError(label: $0) }
    let name = ProcessInfo.processInfo.environment["PERMLOG_SERVER_LOG"] ?? ""
    logger.logLevel = Logger.Level(rawValue: name) ?? .notice
    return logger
  }()
}
