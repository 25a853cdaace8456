import { win32 } from 'node:path';

/** Everything that a launcher contains. */
export interface LauncherOptions {
  /** Holds the copies, and a file that names the current one. */
  readonly appFolder: string;
  /** The Node that runs this command, which is tried first. */
  readonly node: string;
  /** Set unless the client sets them itself: clients do not pass on all variables. */
  readonly variables: Readonly<Record<string, string>>;
  /**
   * Folders that follow the client's PATH, with the folder of Node before them. A client that is started from the
   * desktop has a shorter PATH than a shell, and would not find `npx` or `uvx`.
   */
  readonly searchPath: readonly string[];
}

/**
 * Returns a shell script that finds a supported Node and runs the current copy with it. It works without PATH: it
 * starts no program but Node.
 */
export function posixLauncher({ appFolder, node, variables, searchPath }: LauncherOptions): string {
  const defaults = Object.entries(variables).map(
    ([name, value]) => `[ -n "\${${name}:-}" ] || { ${name}=${quote(value)}; export ${name}; }\n`,
  );
  return `#!/bin/sh
# Runs the Switchboard that "switchboard connect" or "switchboard upgrade" installed last.
# Written by Switchboard: changes are lost.
app=${quote(appFolder)}
${defaults.join('')}version=
[ -r "$app/current" ] && IFS= read -r version < "$app/current"
main="$app/$version/dist/cli/main.js"
if [ -z "$version" ] || [ ! -r "$main" ]; then
  echo "switchboard: $app has no usable copy of Switchboard. Run: npx switchboard connect" >&2
  exit 127
fi

# Whether $1 is Node 20.19 or newer, without the versions that package.json excludes.
supported() {
  [ -f "$1" ] && [ -x "$1" ] || return 1
  found=$("$1" --version 2>/dev/null) || return 1
  found=\${found#v}
  major=\${found%%.*}
  minor=\${found#*.}
  minor=\${minor%%.*}
  case "$major.$minor" in *[!0-9.]* | .* | *.) return 1 ;; esac
  [ "$major" -gt 22 ] || { [ "$major" -eq 22 ] && [ "$minor" -ge 3 ]; } || { [ "$major" -eq 20 ] && [ "$minor" -ge 19 ]; }
}

run() {
  node=$1
  shift
  PATH=\${PATH:+$PATH:}\${node%/*}${searchPath.map((folder) => `:${quote(folder)}`).join('')}
  export PATH
  exec "$node" "$main" "$@"
}

supported ${quote(node)} && run ${quote(node)} "$@"

set -f
IFS=:
for folder in \${PATH:-}; do
  case $folder in /*) supported "$folder/node" && { unset IFS; run "$folder/node" "$@"; } ;; esac
done
unset IFS
set +f

home=\${HOME:-}
if [ -n "$home" ]; then
  for file in \\
    "\${NVM_DIR:-$home/.nvm}"/versions/node/*/bin/node \\
    "$home"/.volta/tools/image/node/*/bin/node \\
    "$home"/.volta/bin/node \\
    "$home"/.local/share/mise/installs/node/*/bin/node \\
    "$home"/.local/share/fnm/node-versions/*/installation/bin/node \\
    "$home"/.fnm/node-versions/*/installation/bin/node \\
    "$home"/.asdf/installs/nodejs/*/bin/node; do
    supported "$file" && run "$file" "$@"
  done
fi
for file in /usr/local/bin/node /usr/bin/node /opt/homebrew/bin/node /opt/local/bin/node /snap/bin/node; do
  supported "$file" && run "$file" "$@"
done

echo "switchboard: Node 20.19 or newer was not found. Install it from https://nodejs.org, then run: npx switchboard connect" >&2
exit 127
`;
}

/** Returns a batch file for Windows. */
export function windowsLauncher({ appFolder, node, variables, searchPath }: LauncherOptions): string {
  const defaults = Object.entries(variables).map(
    ([name, value]) => `if not defined ${name} set "${name}=${escapeBatch(value)}"`,
  );
  const lines = [
    '@echo off',
    'rem Runs the Switchboard that "switchboard connect" or "switchboard upgrade" installed last.',
    'setlocal',
    ...defaults,
    `set "SWITCHBOARD_APP=${escapeBatch(appFolder)}"`,
    'set /p SWITCHBOARD_COPY=<"%SWITCHBOARD_APP%\\current"',
    `set "SWITCHBOARD_NODE=${escapeBatch(node)}"`,
    'if not exist "%SWITCHBOARD_NODE%" set "SWITCHBOARD_NODE=node.exe"',
    `set "PATH=%PATH%;${[win32.dirname(node), ...searchPath].map(escapeBatch).join(';')}"`,
    '"%SWITCHBOARD_NODE%" "%SWITCHBOARD_APP%\\%SWITCHBOARD_COPY%\\dist\\cli\\main.js" %*',
  ];
  return `${lines.join('\r\n')}\r\n`;
}

/** Not `quoteForShell`, which is for text that people type and escapes invisible characters. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function escapeBatch(text: string): string {
  return text.replaceAll('%', '%%');
}
