// swift-tools-version: 6.2
// The server is a package of its own, so that the tool stays small. It uses the library as other people's packages do.
import PackageDescription

let strict: [SwiftSetting] = [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]

let package = Package(
  name: "permlog-server",
  platforms: [.macOS(.v15)],
  products: [.executable(name: "permlog-server", targets: ["permlog-server"])],
  dependencies: [
    .package(name: "permlog", path: ".."),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
    .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
  ],
  targets: [
    .target(
      name: "PermlogServer",
      dependencies: [
        .product(name: "Permlog", package: "permlog"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOExtras", package: "swift-nio-extras"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ],
      resources: [
        .embedInCode("Dashboard/Assets/dashboard.css"), .embedInCode("Dashboard/Assets/dashboard.js"),
      ], swiftSettings: strict),
    .executableTarget(
      name: "permlog-server",
      dependencies: [
        "PermlogServer", .product(name: "Permlog", package: "permlog"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ], swiftSettings: strict),
    .testTarget(
      name: "PermlogServerTests",
      dependencies: [
        "PermlogServer", .product(name: "Permlog", package: "permlog"),
        .product(name: "PermissionRecorder", package: "permlog"),
      ], swiftSettings: strict),
  ]
)

// As in the library's Package.swift: how Scripts/test builds.
if Context.environment["PERMLOG_OPTIMISED"] == "1" {
  let flags = ["-no-whole-module-optimization", "-enable-batch-mode", "-enable-testing"]
  for target in package.targets {
    target.swiftSettings = strict + [.unsafeFlags(flags, .when(configuration: .release))]
  }
}
