# Sourced by the scripts that test the Python package: virtual environments, and the wheel.

# environment FOLDER TEXT: a virtual environment with the requirements of TEXT, made anew if they or Python changed.
environment() {
  local wanted
  wanted=$(echo "$2"; python3 --version)
  [ "$(cat "$1/list" 2>/dev/null)" != "$wanted" ] || return 0
  python3 -m venv --clear "$1"
  "$1/bin/python" -m pip install --quiet --disable-pip-version-check -r <(echo "$2")
  # Last, so that an install that was cut short is done again.
  echo "$wanted" >"$1/list"
}

# install_wheel FOLDER WHEEL: puts the wheel into the environment, unless this one is in it.
install_wheel() {
  local wanted
  wanted=$(sha256sum "$2")
  [ "$(cat "$1/wheel" 2>/dev/null)" != "$wanted" ] || return 0
  "$1/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --force-reinstall "$2"
  echo "$wanted" >"$1/wheel"
}

# newest_wheel: prints the path of a wheel in dist/ of the present sources and tool; makes it if there is none.
newest_wheel() {
  local wheel
  wheel=$(ls -t dist/permlog-*.whl 2>/dev/null | head -n 1 || true)
  if [ -z "$wheel" ] || [ -n "$(find python/src python/pyproject.toml python/hatch_build.py python/README.md LICENSE NOTICE Licenses \
    docs/permlog.1 .build/release/permlog -type f -not -name '*.pyc' -newer "$wheel" -print -quit 2>/dev/null)" ]; then
    Scripts/package --wheel >&2
    wheel=$(ls -t dist/permlog-*.whl | head -n 1)
  fi
  echo "$wheel"
}
