// Small files of an app: read whole, regular files only, every refusal with the file and what to do.

import EventImport
import PropertyLists

enum PropertyListFile {
  /// The largest Info.plists and translations of public apps have less than 1 MiB.
  static let mostBytes = 4 << 20
  /// Of an Xcode project, which describes every file of an app.
  static let mostBytesOfProject = 64 << 20

  /// The dictionary that a property list is.
  static func dictionary(
    _ path: String, mostBytes: Int = mostBytes
  ) throws(PermlogError) -> [String: PropertyList] {
    let list: PropertyList
    do { list = try PropertyList(try bytes(path, mostBytes: mostBytes)) } catch let error as PropertyListError {
      throw refusal(path, error.sentence)
    } catch { throw PermlogError(error) }
    guard let pairs = list.dictionary else { throw refusal(path, "it is a property list without keys") }
    return pairs
  }

  /// The object that a JSON file is.
  static func object(_ path: String) throws(PermlogError) -> JSONTree {
    guard let tree = JSONTree(document: try bytes(path, mostBytes: mostBytes)) else {
      throw refusal(path, "it is not an object of valid JSON")
    }
    return tree
  }

  /// The texts of a list under a key; none if the key is not there.
  static func texts(
    _ key: String, in pairs: [String: PropertyList], _ path: String
  ) throws(PermlogError) -> [String] {
    guard let value = pairs[key] else { return [] }
    let items = value.list ?? []
    let texts = items.compactMap(\.text)
    guard value.list != nil, texts.count == items.count else { throw refusal(path, "\(key) is no list of texts") }
    return texts
  }

  static func refusal(_ path: String, _ problem: String) -> PermlogError {
    PermlogError(.dataRefused, "\(path): \(problem). Correct the file, or name another.", argument: .infoPlist)
  }

  private static func bytes(_ path: String, mostBytes: Int) throws(PermlogError) -> [UInt8] {
    guard let bytes = try SmallFile.read(path, limit: mostBytes, argument: .infoPlist, isRegular: true) else {
      throw PermlogError(
        .dataRefused, "\(path): it is larger than \(mostBytes >> 20) MiB, which no such file is. Name another.",
        argument: .infoPlist)
    }
    return bytes
  }
}
