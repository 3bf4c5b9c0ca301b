// Timestamps, ids and the fixed functions of the log's format.

import Testing

@testable import PermissionEvents

@Suite struct VocabularyTests {
  private func time(_ text: String) -> Int64? { Array(text.utf8).withUnsafeBytes { Timestamp.parse(rfc3339: $0) } }

  @Test func timestampsAreRead() {
    let cases: [(String, Int64?)] = [
      ("2026-03-02T10:00:00Z", 1_772_445_600_000), ("2026-03-02t10:00:00z", 1_772_445_600_000),
      ("2026-03-02T10:00:00.1Z", 1_772_445_600_100), ("2026-03-02T10:00:00.123456789Z", 1_772_445_600_123),
      ("2026-03-02T10:00:00.9999Z", 1_772_445_600_999), ("2026-03-02T12:00:00+02:00", 1_772_445_600_000),
      ("2026-03-02T04:15:00-05:45", 1_772_445_600_000), ("2016-12-31T23:59:60Z", 1_483_228_800_000),
      ("2024-02-29T00:00:00Z", 1_709_164_800_000), ("2026-03-02T10:00:00", nil), ("2026-03-02T10:00:00.Z", nil),
      ("2026-03-02T10:00:00.1234567890Z", nil), ("2026-02-29T00:00:00Z", nil), ("2026-03-02T24:00:00Z", nil),
      ("2026-03-02T10:60:00Z", nil), ("2026-03-02T10:00:61Z", nil), ("2026-03-02T10:00:00+2:00", nil),
      ("2026-03-02T10:00:00+24:00", nil), ("2026-03-02T10:00:00Zx", nil), ("2026/03/02T10:00:00Z", nil),
      ("", nil), ("Z", nil),
    ]
    for (text, expected) in cases { #expect(time(text) == expected, "\(text)") }
    #expect(Timestamp.text(1_772_445_600_123) == "2026-03-02T10:00:00.123Z")
  }

  @Test func uuidsComeBackUnchangedAndOthersAreTexts() {
    let whole = "0f8fad5b-d9cb-469f-a165-70867728950e"
    for text in [whole, whole.uppercased(), "00000000-0000-0000-0000-000000000001"] {
      let packed = Array(text.utf8).withUnsafeBytes { IdentifierText.packUUID($0) }
      var out: [UInt8] = []
      if let packed { IdentifierText.writeUUID(form: packed.form, high: packed.high, low: packed.low, into: &out) }
      #expect(String(decoding: out, as: UTF8.self) == text)
    }
    for text in [
      "0F8fad5b-d9cb-469f-a165-70867728950e", "0f8fad5bd9cb469fa16570867728950e", "g" + whole.dropFirst(), "u1", "",
    ] {
      #expect(Array(text.utf8).withUnsafeBytes { IdentifierText.packUUID($0) } == nil, "\(text)")
    }
  }

  @Test func usersThatStandForNobody() {
    let nobody = [
      "null", " NULL ", "nil", "Undefined", "none", "unknown", "Anonymous", "anon", "0", "-1", "NaN", "[]", "{}", "\t",
      "00000000-0000-0000-0000-000000000000",
    ]
    for text in nobody { #expect(Array(text.utf8).withUnsafeBytes { IdentifierText.standsForNobody($0) }, "\(text)") }
    for text in ["1", "00", "anonymous2", "nobody", "-2", "null null"] {
      #expect(!Array(text.utf8).withUnsafeBytes { IdentifierText.standsForNobody($0) }, "\(text)")
    }
  }

  /// These numbers are part of the log's format and of the order of an export: they can never change.
  @Test func hashesAndDerivedIdsAreWhatTheyWere() {
    var state: UInt64 = 1
    for _ in 0..<10_000 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      #expect(UserHash.unmix(UserHash.mix(state)) == state)
      let high = state ^ 0x1234_5678
      #expect(UserHash.highWord(hash: UserHash.uuid(high: high, low: state), low: state) == high)
    }
    func hash(_ text: String) -> UInt64 { Array(text.utf8).withUnsafeBytes { UserHash.of($0) } }
    // Checked against xxHash's own Python package and the SplitMix64 finaliser written again.
    #expect(hash("u1") == 0x9dc0_2546_854d_5df1)
    #expect(hash("0f8fad5b-d9cb-469f-a165-70867728950e") == 0x9252_1296_1fe2_2bd8)
    let empty = UnsafeRawBufferPointer(start: nil, count: 0)
    let id = Array("u1".utf8).withUnsafeBytes { user in
      DerivedEventID.make(user: user, time: 1_772_445_600_000, kind: .granted, status: .limited) { _ in empty }
    }
    #expect(id.high >> 12 & 15 == 8 && id.low >> 62 == 2)
    #expect(id.high == 0x8e6a_69d0_9499_8a08 && id.low == 0x82bc_42ba_3850_7ffe)
  }

  @Test func accessByStatusAndPermission() {
    let camera = PermissionCode(rawValue: 2)
    #expect(PermissionCode.taxonomy[1] == "camera")
    #expect(PermissionCode.taxonomy[Int(PermissionCode.locationAlways.rawValue) - 1] == "location_always")
    #expect(PermissionCode.taxonomy[Int(PermissionCode.calendarsWriteOnly.rawValue) - 1] == "calendars_write_only")
    #expect(PermissionCode.taxonomy[Int(PermissionCode.healthRead.rawValue) - 1] == "health_read")
    #expect(PermissionCode.taxonomy[Int(PermissionCode.mail.rawValue) - 1] == "mail")
    #expect(AuthorizationStatus.whenInUse.access(permission: camera) == .on)
    #expect(AuthorizationStatus.whenInUse.access(permission: .locationAlways) == .partial)
    #expect(AuthorizationStatus.writeOnly.access(permission: camera) == .partial)
    #expect(AuthorizationStatus.writeOnly.access(permission: .calendarsWriteOnly) == .on)
    #expect(AuthorizationStatus.limited.isPartial(permission: camera))
    #expect(AuthorizationStatus.none.access(permission: camera) == .undecided)
    #expect(AuthorizationStatus.restricted.access(permission: camera) == .restricted)
  }
}
