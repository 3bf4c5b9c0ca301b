// swift-tools-version: 6.2
import Foundation
import PackageDescription

let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6), .treatAllWarnings(as: .error),
]

// The small C libraries are linked in on Linux where their archives are installed, as Debian's packages do: each shared one
// costs the start of every command a tenth of a millisecond. CArchive finds its library itself, so nothing links it there.
#if os(Linux)
  #if arch(arm64)
    let archives = "/usr/lib/aarch64-linux-gnu"
  #elseif arch(x86_64)
    let archives = "/usr/lib/x86_64-linux-gnu"
  #else
    let archives = ""
  #endif
  func library(_ name: String) -> LinkerSetting {
    let isThere = FileManager.default.fileExists(atPath: "\(archives)/lib\(name).a")
    return .linkedLibrary(isThere ? ":lib\(name).a" : name)
  }
  // A name here would link the shared library too. Headers elsewhere than the compiler looks are found by CPATH.
  func pkgConfig(_ name: String) -> String? { nil }
#else
  func library(_ name: String) -> LinkerSetting { .linkedLibrary(name) }
  func pkgConfig(_ name: String) -> String? { name }
#endif

let package = Package(
  name: "permlog",
  platforms: [.macOS(.v15), .iOS(.v16), .watchOS(.v9), .visionOS(.v1)],
  products: [
    .executable(name: "permlog", targets: ["permlog"]),
    .library(name: "Permlog", targets: ["Permlog"]),
    // For apps: it depends on nothing, so that an app builds this target alone.
    .library(name: "PermissionRecorder", targets: ["PermissionRecorder"]),
    .library(name: "Statistics", targets: ["Statistics"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    // A plugin for `swift package generate-documentation`; nothing that is built depends on it.
    .package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.5.0"),
  ],
  targets: [
    // System libraries, one each.
    .systemLibrary(
      name: "CZstd", pkgConfig: pkgConfig("libzstd"), providers: [.apt(["libzstd-dev"]), .brew(["zstd"])]),
    .systemLibrary(name: "CZlib", pkgConfig: pkgConfig("zlib"), providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
    .systemLibrary(
      name: "CBrotli", pkgConfig: pkgConfig("libbrotlidec"), providers: [.apt(["libbrotli-dev"]), .brew(["brotli"])]),
    .systemLibrary(
      name: "CSnappy", pkgConfig: pkgConfig("snappy"), providers: [.apt(["libsnappy-dev"]), .brew(["snappy"])]),
    .systemLibrary(
      name: "CXXHash", pkgConfig: pkgConfig("libxxhash"), providers: [.apt(["libxxhash-dev"]), .brew(["xxhash"])]),
    .systemLibrary(
      name: "CSystemArchive", pkgConfig: pkgConfig("libarchive"),
      providers: [.apt(["libarchive-dev"]), .brew(["libarchive"])]),
    .systemLibrary(
      name: "CSystemISAL", pkgConfig: pkgConfig("libisal"),
      providers: [.apt(["libisal-dev"]), .brew(["isa-l"])]),
    .systemLibrary(
      name: "CYAML", pkgConfig: pkgConfig("yaml-0.1"), providers: [.apt(["libyaml-dev"]), .brew(["libyaml"])]),
    .systemLibrary(
      name: "CUTF8Proc", pkgConfig: pkgConfig("libutf8proc"),
      providers: [.apt(["libutf8proc-dev"]), .brew(["utf8proc"])]),
    .systemLibrary(
      name: "CSodium", pkgConfig: pkgConfig("libsodium"), providers: [.apt(["libsodium-dev"]), .brew(["libsodium"])]),
    // simdjson's pkg-config file carries a flag that the package manager refuses, so the shim's target links it.
    .systemLibrary(name: "CSystemSimdJSON", providers: [.apt(["libsimdjson-dev"]), .brew(["simdjson"])]),

    // What apps use.
    .target(name: "PermissionRecorder", swiftSettings: strict),
    .testTarget(name: "PermissionRecorderTests", dependencies: ["PermissionRecorder"], swiftSettings: strict),

    // Arrows point down only.
    // Memory that grows needs types that cannot outlive it: a feature of Swift, by its name.
    .target(name: "Buffers", swiftSettings: strict + [.enableExperimentalFeature("Lifetimes")]),
    .target(name: "Threads", swiftSettings: strict),
    .target(name: "SystemCalls", swiftSettings: strict),
    .target(
      name: "CSimdJSON", dependencies: ["CSystemSimdJSON"],
      // An archive of simdjson needs the C++ library after it.
      linkerSettings: [.linkedLibrary("simdjson"), .linkedLibrary("stdc++", .when(platforms: [.linux]))]),
    .target(
      name: "CArchive", dependencies: ["CSystemArchive"],
      linkerSettings: [.linkedLibrary("archive", .when(platforms: [.macOS]))]),
    .target(name: "CVectorBytes"),
    .target(name: "CGzip", dependencies: ["CSystemISAL"], linkerSettings: [library("isal")]),
    .target(name: "CTimeFormat"),
    .target(name: "CUnfinishedFiles"),
    .target(name: "CLicenses"),
    .target(name: "CVendors", exclude: ["vendors"]),
    .target(name: "CReferences", exclude: ["references.json"]),
    .target(name: "CMathFunctions"),
    .target(
      name: "PermissionEvents", dependencies: ["Buffers", "Threads", "CXXHash"], swiftSettings: strict,
      linkerSettings: [library("xxhash")]),
    .target(
      name: "KeyedHashes", dependencies: ["CSodium"], swiftSettings: strict, linkerSettings: [library("sodium")]),
    .target(name: "Statistics", swiftSettings: strict),
    // Histories are views of the log's own memory: types that cannot outlive it need this feature of Swift by its name.
    .target(
      name: "Folding", dependencies: ["PermissionEvents", "CXXHash"],
      swiftSettings: strict + [
        .enableExperimentalFeature("Lifetimes"), .enableUpcomingFeature("InternalImportsByDefault"),
      ]),
    .target(
      name: "EventLog",
      dependencies: [
        "Buffers", "Threads", "Folding", "PermissionEvents", "KeyedHashes", "CZstd", "CXXHash",
      ], swiftSettings: strict, linkerSettings: [library("zstd"), library("xxhash")]),
    .target(
      name: "EventMapping", dependencies: ["Threads", "PermissionEvents", "CVendors", "CYAML", "CUTF8Proc"],
      swiftSettings: strict, linkerSettings: [library("yaml"), library("utf8proc")]),
    .target(
      name: "EventImport",
      dependencies: [
        "Buffers", "Threads", "PermissionEvents", "EventMapping", "CSimdJSON", "CVectorBytes", "CTimeFormat",
        "CArchive", "CGzip", "CZlib", "CBrotli", "CSnappy", "SystemCalls", "KeyedHashes",
      ],
      swiftSettings: strict,
      linkerSettings: [
        library("z"), library("brotlidec"), library("brotlicommon"), library("snappy"),
        .linkedLibrary("iconv", .when(platforms: [.macOS])),
      ]),
    .target(
      name: "PermissionAnalysis", dependencies: ["Buffers", "Threads", "Folding", "PermissionEvents", "Statistics"],
      swiftSettings: strict),
    .target(
      name: "ReportRendering",
      dependencies: ["Buffers", "CSodium", "CZlib", "Threads", "PermissionAnalysis", "PermissionEvents"],
      swiftSettings: strict, linkerSettings: [library("sodium"), library("z")]),
    // What apps declare: property lists in all their forms, and nothing of what is in them.
    .target(name: "PropertyLists", dependencies: ["PermissionEvents"], swiftSettings: strict),
    // What apps ask for: calls in Swift and Objective-C, by tokens.
    .target(name: "SourceCode", swiftSettings: strict),
    .target(name: "ExportSimulation", dependencies: ["Buffers", "PermissionEvents"], swiftSettings: strict),
    // The application layer: what a user of the library imports.
    .target(
      name: "Permlog",
      dependencies: [
        "Threads", "Folding", "PermissionEvents", "EventLog", "EventImport", "EventMapping", "PermissionAnalysis",
        "PropertyLists", "SourceCode", "ReportRendering", "ExportSimulation", "Statistics", "CUnfinishedFiles",
        "CReferences", "SystemCalls",
      ], swiftSettings: strict),
    .target(
      name: "PermlogCommands",
      dependencies: [
        "CLicenses", "CUnfinishedFiles", "Threads", "Permlog", "PermissionEvents", "PermissionAnalysis",
        "ReportRendering", "ExportSimulation", "SystemCalls",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ], swiftSettings: strict),
    .executableTarget(name: "permlog", dependencies: ["CMathFunctions", "PermlogCommands"], swiftSettings: strict),

    // Tests: one target a module; the oracle reads the contract on its own and shares nothing with the product.
    .target(name: "ReportOracle", path: "Tests/ReportOracle", swiftSettings: strict),
    .testTarget(name: "ReportOracleTests", dependencies: ["ReportOracle"], swiftSettings: strict),
    // Enumerations and simulations of the statistics: short ones in tests, long ones printed by the executable.
    .target(
      name: "StatisticalSimulation", dependencies: ["Statistics"], path: "Tests/StatisticalSimulation",
      swiftSettings: strict),
    .executableTarget(
      name: "simulate-statistics", dependencies: ["StatisticalSimulation"], path: "Tests/SimulateStatistics",
      swiftSettings: strict),
    .testTarget(
      name: "StatisticsTests", dependencies: ["Statistics", "StatisticalSimulation"],
      resources: [.process("Resources")], swiftSettings: strict),
    .testTarget(name: "CMathFunctionsTests", dependencies: ["CMathFunctions"], swiftSettings: strict),
    .testTarget(name: "KeyedHashesTests", dependencies: ["KeyedHashes"], swiftSettings: strict),
    .testTarget(name: "BuffersTests", dependencies: ["Buffers"], swiftSettings: strict),
    .testTarget(name: "FoldingTests", dependencies: ["Folding", "PermissionEvents"], swiftSettings: strict),
    .testTarget(
      name: "PermissionAnalysisTests",
      dependencies: [
        "Buffers", "EventLog", "Folding", "LogTestSupport", "PermissionAnalysis", "PermissionEvents", "ReportOracle",
        "ReportRendering",
      ], swiftSettings: strict),
    .testTarget(
      name: "EventMappingTests", dependencies: ["EventMapping", "PermissionEvents"],
      resources: [.process("Resources")], swiftSettings: strict),
    .testTarget(
      name: "EventImportTests", dependencies: ["Threads", "EventImport", "EventMapping", "PermissionEvents"],
      swiftSettings: strict),
    .testTarget(
      name: "ReportRenderingTests",
      dependencies: ["Folding", "ReportRendering", "PermissionAnalysis", "PermissionEvents"],
      resources: [.copy("Snapshots")], swiftSettings: strict),
    .testTarget(name: "PropertyListsTests", dependencies: ["PropertyLists"], swiftSettings: strict),
    .testTarget(name: "SourceCodeTests", dependencies: ["SourceCode"], swiftSettings: strict),
    .testTarget(
      name: "ExportSimulationTests", dependencies: ["ExportSimulation", "PermissionEvents"], swiftSettings: strict),
    .testTarget(
      name: "PermlogTests",
      dependencies: [
        "Permlog", "PermissionAnalysis", "PermissionEvents", "EventImport", "EventLog", "Folding", "LogTestSupport",
        "ReportOracle", "ReportRendering", "Statistics", "CReferences",
      ],
      exclude: ["Fixtures"],
      swiftSettings: strict),
    .testTarget(
      name: "CommandLineTests",
      dependencies: ["EventLog", "Folding", "LogTestSupport", "PermissionEvents", "ReportOracle", "permlog"],
      exclude: ["Fixtures"], swiftSettings: strict),
    .target(
      name: "LogTestSupport", dependencies: ["Threads", "PermissionEvents", "EventLog"], path: "Tests/LogTestSupport",
      swiftSettings: strict),
    .testTarget(
      name: "PermissionEventsTests", dependencies: ["PermissionEvents", "LogTestSupport"], swiftSettings: strict),
    .testTarget(
      name: "EventLogTests", dependencies: ["Threads", "EventLog", "Folding", "PermissionEvents", "LogTestSupport"],
      swiftSettings: strict),
  ],
  cxxLanguageStandard: .cxx17
)

// How Scripts/test builds: in the release configuration, where libraries of others are without their checks of a programmer's mistakes (those of
// swift-argument-parser are four fifths of the start of a debug build, which the tests start 6,500 times), and with -Onone for all that is not said
// here: optimising the server's libraries takes ten minutes. What tests call often is optimised as it is when installed, by an argument that
// -Onone does not take back. A package that depends on this one never sets the variable; such flags would be refused there.
if Context.environment["PERMLOG_OPTIMISED"] == "1" {
  let seldomCalled = [
    "ReportRendering", "Permlog", "PermlogCommands", "permlog", "PropertyLists", "PermissionRecorder", "SourceCode",
    "simulate-statistics",
  ]
  for target in package.targets {
    guard let settings = target.swiftSettings else { continue }
    let isPlain = target.type == .test || seldomCalled.contains(target.name)
    let flags = isPlain ? ["-no-whole-module-optimization", "-enable-batch-mode"] : ["-Xfrontend", "-O"]
    target.swiftSettings =
      settings + [.unsafeFlags(["-enable-testing"] + flags, .when(configuration: .release))]
  }
}

// Parts of the package alone, for the sanitizers. ThreadSanitizer makes the compiler (Swift 6.3.1) crash on PermissionAnalysis.
if let part = Context.environment["PERMLOG_TARGETS"] {
  let store = [
    "CZstd", "CXXHash", "Buffers", "Threads", "PermissionEvents", "Folding", "EventLog", "LogTestSupport",
    "PermissionEventsTests", "EventLogTests", "BuffersTests",
  ]
  let analysis = [
    "Statistics", "PermissionAnalysis", "ReportRendering", "ReportOracle", "FoldingTests", "PermissionAnalysisTests",
  ]
  package.targets.removeAll { !(part == "store" ? store : store + analysis).contains($0.name) }
  package.products = []
}
