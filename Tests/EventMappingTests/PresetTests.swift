// The presets are mappings like any other.

import Testing

@testable import EventMapping

@Suite struct PresetTests {
  @Test(arguments: Presets.names) func everyPresetIsAMapping(name: String) throws {
    let mapping = try #require(try Presets.mapping(name))
    #expect(mapping.record != nil)
    #expect(!mapping.otherwise.isEmpty)
  }
}
