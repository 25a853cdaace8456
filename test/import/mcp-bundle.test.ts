import { describeShape } from './shape-contract.ts';

describeShape('an unpacked MCP bundle', {
  file: 'bundles/files/manifest.json',
  text: `{
  "manifest_version": "0.3",
  "name": "files",
  "version": "1.2.3",
  "author": { "name": "Example" },
  "server": {
    "type": "node",
    "entry_point": "server/index.js",
    "mcp_config": {
      "command": "node",
      "args": ["\${__dirname}/server/index.js", "\${user_config.folders}", "--limit=\${user_config.limit}"],
      "env": { "API_KEY": "\${user_config.api-key}", "CACHE": "\${DOWNLOADS}/cache", "DOCS": "\${user_config.docs}" },
      "platform_overrides": {
        "win32": { "command": "node.exe" },
        "linux": { "env": { "ONLY": "linux" } }
      }
    }
  },
  "user_config": {
    "folders": { "type": "directory", "multiple": true, "default": ["/a", "/b"] },
    "docs": { "type": "directory", "default": "\${DOCUMENTS}" },
    "limit": { "type": "number", "default": 5 },
    "api-key": { "type": "string", "sensitive": true, "required": true }
  }
}
`,
  servers: [['server', 'mcp_config']],
  expected: {
    entries: {
      files: {
        transport: 'stdio',
        command: 'node',
        args: ['HOME/bundles/files/server/index.js', '/a', '/b', '--limit=5'],
        env: {
          API_KEY: `\${API_KEY}`,
          CACHE: 'HOME/Downloads/cache',
          DOCS: 'HOME/Documents',
          ONLY: 'linux',
        },
        expand_variables: true,
        imported_from: 'an MCP bundle (~/bundles/files/manifest.json)',
      },
    },
    notCarried: { files: ['platform_overrides.win32'] },
    missing: { files: ['API_KEY'] },
  },
});
