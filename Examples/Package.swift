// swift-tools-version: 6.2
// Examples are a package of their own: they use permlog as other people's packages do.
import PackageDescription

let package = Package(
  name: "Examples",
  platforms: [.macOS(.v15), .iOS(.v18)],
  dependencies: [.package(name: "permlog", path: "..")],
  targets: [
    .executableTarget(name: "weekly-report", dependencies: [.product(name: "Permlog", package: "permlog")]),
    // An app's source. Its views need SwiftUI and are empty elsewhere; its logic is tested, in the release configuration too.
    .target(
      name: "PermissionApp", dependencies: [.product(name: "PermissionRecorder", package: "permlog")],
      swiftSettings: [.unsafeFlags(["-enable-testing"], .when(configuration: .release))]),
    .testTarget(name: "PermissionAppTests", dependencies: ["PermissionApp"]),
  ],
  swiftLanguageModes: [.v6]
)
