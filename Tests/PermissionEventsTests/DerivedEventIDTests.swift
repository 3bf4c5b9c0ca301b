// Derived ids can never change, or exports that are ingested again would double.

import Testing

@testable import PermissionEvents

private func derive(
  user: String, time: Milliseconds, kind: EventKind, status: AuthorizationStatus, _ values: [StringField: String]
) -> String {
  let texts = StringField.allCases.map { Array((values[$0] ?? "").utf8) }
  let id = Array(user.utf8).withUnsafeBytes { user in
    // One array holds all the values, so that the buffers live through the call.
    let joined = texts.flatMap { $0 }
    return joined.withUnsafeBytes { bytes in
      DerivedEventID.make(user: user, time: time, kind: kind, status: status) { field in
        let start = texts[..<field.rawValue].reduce(0) { $0 + $1.count }
        return UnsafeRawBufferPointer(rebasing: bytes[start..<start + texts[field.rawValue].count])
      }
    }
  }
  var out: [UInt8] = []
  IdentifierText.writeUUID(form: id.form, high: id.high, low: id.low, into: &out)
  return String(decoding: out, as: UTF8.self)
}

@Suite struct DerivedEventIDTests {
  /// Values computed apart, with Python's xxhash.
  @Test func valuesAreFixed() {
    #expect(
      derive(user: "u", time: 0, kind: .explanationShown, status: .none, [:]) == "c5208d3f-0ed1-8c07-88af-4804b7152d21")
    #expect(
      derive(
        user: "alice", time: 1_775_046_896_789, kind: .granted, status: .limited,
        [
          .permission: "photo_library", .variant: "B", .experiment: "first", .surface: "onboarding", .feature: "scan",
          .appVersion: "1.2.3", .osVersion: "26.0", .platform: "ios", .locale: "de_DE", .country: "DE",
        ]) == "09fa5b31-22db-885a-ade8-a1bc19dcad34")
    #expect(
      derive(user: "ä", time: -1, kind: .appActive, status: .always, [.country: "ü"])
        == "9d255be7-b390-8798-807a-758e9f0a2089")
  }

  @Test func everythingCounts() {
    var seen: Set<String> = []
    seen.insert(derive(user: "u", time: 1, kind: .granted, status: .none, [:]))
    seen.insert(derive(user: "v", time: 1, kind: .granted, status: .none, [:]))
    seen.insert(derive(user: "u", time: 2, kind: .granted, status: .none, [:]))
    seen.insert(derive(user: "u", time: 1, kind: .denied, status: .none, [:]))
    seen.insert(derive(user: "u", time: 1, kind: .granted, status: .limited, [:]))
    for field in StringField.allCases {
      seen.insert(derive(user: "u", time: 1, kind: .granted, status: .none, [field: "x"]))
    }
    // A value does not run over into the next field.
    seen.insert(derive(user: "u", time: 1, kind: .granted, status: .none, [.variant: "ab", .experiment: "c"]))
    seen.insert(derive(user: "u", time: 1, kind: .granted, status: .none, [.variant: "a", .experiment: "bc"]))
    #expect(seen.count == 17)
  }

  @Test func isAUUIDOfVersion8() throws {
    for time in Int64(0)..<200 {
      let id = Array(derive(user: "u", time: time, kind: .granted, status: .none, [:]))
      #expect(id.count == 36 && id[14] == "8" && "89ab".contains(id[19]))
    }
  }
}
