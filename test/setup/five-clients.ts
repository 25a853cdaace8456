import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fixture } from '../fixtures/paths.ts';
import { officialServer } from '../interop/programs.ts';

/** The configs of five clients, with twelve different servers between them, as users have them. */
export interface FiveClients {
  /** The content of each file, by its path below the home folder. */
  readonly files: Readonly<Record<string, string>>;
  /** The ids in our config of the servers that each client has on. */
  readonly servers: Readonly<Record<string, readonly string[]>>;
  /** Variables that the user's shell has. */
  readonly env: Readonly<Record<string, string>>;
}

const SECRET = 'cursor-inline-s3cret';

export interface FiveClientsOptions {
  readonly home: string;
  /** An HTTP server. */
  readonly url: string;
  /** Settings of Codex before its servers. */
  readonly codexSettings?: string;
}

export function fiveClients({
  home,
  url,
  codexSettings = 'model = "gpt-5" # a comment',
}: FiveClientsOptions): FiveClients {
  const files = json(officialServer('filesystem', join(home, 'notes')));
  const behaved = json(fixture('well-behaved'));
  const everything = json(officialServer('everything'));
  return {
    env: { SERVICE_TOKEN: 'from-the-shell', WEB_TOKEN: 'web-from-the-shell' },
    servers: {
      codex: ['files', 'behaved', 'everything'],
      claude: ['files', 'names', 'docs'],
      cursor: ['files', 'reports', 'docs-cursor'],
      vscode: ['behaved', 'instructions'],
      gemini: ['offers', 'web', 'pages'],
    },
    files: {
      '.codex/config.toml': `${codexSettings}

# The notes of the team
[mcp_servers.files]
command = ${files.command}
args = ${files.args}
startup_timeout_sec = 20

[mcp_servers.behaved]
command = ${behaved.command}
args = ${behaved.args}

[mcp_servers.everything]
command = ${everything.command}
args = ${everything.args}

[mcp_servers.off]
command = "no-such-program"
enabled = false # not needed at the moment
`,
      '.claude.json': `{
  "numStartups": 42,
  "mcpServers": {
    "files": { "type": "stdio", "command": ${files.command}, "args": ${files.args}, "env": {} },
    "names": { "type": "stdio", "command": ${behaved.command}, "args": ${json(fixture('has-names', 'one', '["first","second"]')).args}, "env": {} },
    "docs": { "type": "http", "url": "${url}" }
  },
  "projects": { "/somewhere/else": { "allowedTools": [], "history": [{ "display": "hello" }] } }
}
`,
      '.cursor/mcp.json': `{
  // Shared with the team
  "mcpServers": {
    "my files": { "command": ${files.command}, "args": ${files.args} }, // the same as in Codex
    "reports": {
      "command": ${behaved.command},
      "args": ${json(fixture('reports-environment')).args},
      "env": { "TOKEN": "\${env:SERVICE_TOKEN}", "MODE": "fast" },
    },
    "docs": { "url": "${url}?team=two", "headers": { "Authorization": "Bearer ${SECRET}" } },
  },
}
`,
      '.config/Code/User/mcp.json': `{
\t/* Written by VS Code */
\t"inputs": [],
\t"servers": {
\t\t"adder": { "type": "stdio", "command": ${behaved.command}, "args": ${behaved.args} },
\t\t"instructions": { "type": "stdio", "command": ${behaved.command}, "args": ${json(fixture('gives-instructions', 'Be kind.')).args} }
\t}
}
`,
      '.gemini/settings.json': `{
  "ui": { "theme": "GitHub" },
  "mcpServers": {
    "offers": { "command": ${behaved.command}, "args": ${json(fixture('offers-everything', 'one')).args}, "trust": true },
    "web": { "httpUrl": "${url}?team=three", "headers": { "X-Token": "$WEB_TOKEN" }, "timeout": 60000 },
    "pages": { "command": ${behaved.command}, "args": ${json(fixture('pages-its-list')).args} }
  }
}
`,
    },
  };
}

/** Writes the files below the home folder, and what the servers read. */
export function writeClients(home: string, { files }: FiveClients): void {
  for (const [name, text] of Object.entries({ ...files, 'notes/today.md': 'Buy milk.\n' })) {
    mkdirSync(dirname(join(home, name)), { recursive: true });
    writeFileSync(join(home, name), text);
  }
}

/** The parts of a command line as JSON, which is also TOML. */
function json({ command, args }: { readonly command: string; readonly args: readonly string[] }) {
  return { command: JSON.stringify(command), args: JSON.stringify(args) };
}
