// Settings that cannot be used are refused with what is wrong.

import Foundation
import Testing

@testable import PermlogServer

@Suite struct ServerSettingsTests {
  private func problem(_ json: String) throws -> String? {
    let directory = try TemporaryDirectory()
    let path = directory.path + "/settings.json"
    try Data(json.utf8).write(to: URL(fileURLWithPath: path))
    do {
      _ = try ServerSettings(contentsOf: path)
      return nil
    } catch { return "\(error)" }
  }

  @Test(arguments: [
    ("[]", "must be a JSON object"), ("{", "not JSON"), ("{}", "state is missing"),
    (#"{"state":"s","keys":[]}"#, "keys is empty"), (#"{"state":"s","keys":[{"key":"a"}]}"#, "log is missing"),
    (#"{"state":"s","keys":[{"key":"a","log":"l"},{"key":"a","log":"m"}]}"#, "listed twice"),
    (#"{"state":"s","keys":[{"key":"a","log":"l"}],"listn":"x"}"#, "no setting listn"),
    (#"{"state":"s","keys":[{"key":"a","log":"l","maping":"x"}]}"#, "no setting maping"),
    (#"{"state":"s","keys":[{"key":"a","log":"l"}],"listen":"0.0.0.0:80"}"#, "loopback only"),
    (#"{"state":"s","keys":[{"key":"a","log":"l"}],"listen":"here"}"#, "HOST:PORT"),
    (#"{"state":"s","keys":[{"key":"a","log":"l"}],"body_limit":0}"#, "greater than 0"),
    (#"{"state":"s","keys":[{"key":"a","log":"l","identity":"x"}]}"#, "device or account"),
    (#"{"state":"s","keys":[{"key":"a","log":"l"},{"key":"b","log":"l","hash_users":"f"}]}"#, "differ in hash_users"),
    (#"{"state":"s","keys":[{"key":"a","log":"l"}],"body_limit":90000000}"#, "memory_limit must be at least"),
  ]) func wrongSettingsAreRefused(json: String, text: String) throws {
    let found = try problem(json)
    #expect(found?.contains(text) == true, "\(found ?? "accepted")")
  }

  @Test func rightSettingsAreRead() throws {
    #expect(
      try problem(#"{"state":"s","keys":[{"key":"a","log":"l","custom_permissions":true}],"listen":"[::1]:0"}"#) == nil)
  }

  @Test func aTokenIsASecret() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path + "/token"
    #expect(throws: SettingsError.self) { try SecretToken(contentsOf: path) }
    _ = FileManager.default.createFile(
      atPath: path, contents: Data("0123456789abcdef\n".utf8), attributes: [.posixPermissions: 0o644])
    #expect(throws: SettingsError.self) { try SecretToken(contentsOf: path) }
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    let token = try SecretToken(contentsOf: path)
    #expect(token.matches("0123456789abcdef"))
    for other in ["", "0123456789abcdeg", "0123456789abcde", "0123456789abcdef0"] { #expect(!token.matches(other)) }
    try Data("short".utf8).write(to: URL(fileURLWithPath: path))
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    #expect(throws: SettingsError.self) { try SecretToken(contentsOf: path) }
  }
}
