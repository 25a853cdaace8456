import { describeShape } from './shape-contract.ts';

describeShape('VS Code', {
  client: 'vscode',
  file: '.config/Code/User/mcp.json',
  files: { 'vars.env': 'FROM_FILE=yes\n' },
  text: `{
  "inputs": [
    // Asked once, then kept by VS Code
    { "type": "promptString", "id": "api-key", "description": "API key", "password": true },
    { "type": "pickString", "id": "region", "options": ["eu", "us"], "default": "eu" },
  ],
  "servers": {
    "local": {
      "type": "stdio",
      "command": "node",
      "args": ["\${workspaceFolder}/server.js", "--region", "\${input:region}"],
      "cwd": "\${userHome}",
      "env": { "KEY": "\${input:api-key}", "OTHER": "\${env:OTHER_KEY}", "REMOVED": null },
      "envFile": "HOME/vars.env",
      "sandboxEnabled": true,
      "sandbox": { "network": false },
      "dev": { "watch": "src/**", "debug": { "type": "node" } },
      "gallery": true,
    },
    "web": { "type": "http", "url": "https://web.example/mcp", "headers": { "Authorization": "Bearer \${input:api-key}" } },
    "socket": { "type": "http", "url": "unix:///tmp/server.sock#/mcp" },
    "pipe": { "type": "http", "url": "pipe:///server" },
  },
}
`,
  servers: [['servers']],
  redundant: ['type'],
  expected: {
    entries: {
      local: {
        transport: 'stdio',
        command: 'node',
        args: [`\${workspaceFolder}/server.js`, '--region', `\${REGION:-eu}`],
        cwd: 'HOME',
        env: { FROM_FILE: 'yes', KEY: `\${API_KEY}`, OTHER: `\${OTHER_KEY}` },
        expand_variables: true,
        imported_from: 'VS Code (~/.config/Code/User/mcp.json)',
      },
      web: {
        transport: 'http',
        url: 'https://web.example/mcp',
        bearer_token_env_var: 'API_KEY',
        imported_from: 'VS Code (~/.config/Code/User/mcp.json)',
      },
    },
    notCarried: {
      local: ['envFile', 'env.REMOVED', 'args[0]', 'sandboxEnabled', 'sandbox', 'dev', 'gallery'],
    },
    skipped: { socket: 'not to unix://', pipe: 'not to pipe://' },
    missing: { local: ['workspaceFolder', 'API_KEY', 'OTHER_KEY'], web: ['API_KEY'] },
  },
});
