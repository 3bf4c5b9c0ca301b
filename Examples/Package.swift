// swift-tools-version: 6.2
// Examples are a package of their own: they use permlog as other people's packages do.
import PackageDescription

let package = Package(
  name: "Examples",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "permlog", path: "..")],
  targets: [
    .executableTarget(name: "weekly-report", dependencies: [.product(name: "Permlog", package: "permlog")])
  ],
  swiftLanguageModes: [.v6]
)
