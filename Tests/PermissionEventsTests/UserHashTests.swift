import PermissionEvents
import Testing
@Test func hashInverts() { #expect(UserHash.highWord(hash: UserHash.uuid(high: 5, low: 7), low: 7) == 5) }
