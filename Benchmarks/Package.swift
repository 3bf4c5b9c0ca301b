// swift-tools-version: 6.1
// Benchmarks are a package of their own, so that building permlog never builds them.
import PackageDescription

let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v15)],
  products: [.executable(name: "generate-events", targets: ["generate-events"])],
  targets: [
    .target(name: "EventGenerator"),
    .executableTarget(name: "generate-events", dependencies: ["EventGenerator"]),
    .testTarget(name: "EventGeneratorTests", dependencies: ["EventGenerator"]),
  ],
  swiftLanguageModes: [.v6]
)
