import { describeShape } from './shape-contract.ts';

describeShape('Cursor', {
  client: 'cursor',
  file: '.cursor/mcp.json',
  files: { 'secrets.env': 'EXTRA=1\nEXTRA_TOKEN=file-s3cret\n' },
  text: `{
  // Comments and trailing commas are allowed
  "mcpServers": {
    "local server": {
      "type": "stdio",
      "command": "\${userHome}/bin/server",
      "args": ["--root", "\${workspaceFolder}", "--user", "\${env:USER_NAME}"],
      "env": { "API_KEY": "\${env:LOCAL_API_KEY}", "PORT": 8080, },
      "envFile": "\${userHome}/secrets.env",
      "cwd": "/srv",
    },
    "web": {
      "url": "https://web.example/mcp",
      "headers": { "Authorization": "Bearer \${env:WEB_TOKEN}", "X-Key": "key-\${env:SUFFIX}" },
      "auth": { "CLIENT_ID": "abc", "CLIENT_SECRET": "cursor-s3cret", "scopes": ["read", "write"] },
    },
  },
}
`,
  servers: [['mcpServers']],
  redundant: ['type'],
  expected: {
    entries: {
      'local-server': {
        transport: 'stdio',
        command: 'HOME/bin/server',
        args: ['--root', `\${workspaceFolder}`, '--user', `\${USER_NAME}`],
        cwd: '/srv',
        env: {
          EXTRA: '1',
          EXTRA_TOKEN: `\${IMPORTED_LOCAL_SERVER_EXTRA_TOKEN}`,
          API_KEY: `\${LOCAL_API_KEY}`,
          PORT: '8080',
        },
        expand_variables: true,
        imported_from: 'Cursor (~/.cursor/mcp.json)',
      },
      web: {
        transport: 'http',
        url: 'https://web.example/mcp',
        headers: { 'X-Key': `key-\${SUFFIX}` },
        oauth: { client_id: 'abc', scope: 'read write', client_secret_env: 'IMPORTED_WEB_CLIENT_SECRET' },
        bearer_token_env_var: 'WEB_TOKEN',
        expand_variables: true,
        imported_from: 'Cursor (~/.cursor/mcp.json)',
      },
    },
    secrets: { IMPORTED_LOCAL_SERVER_EXTRA_TOKEN: 'file-s3cret', IMPORTED_WEB_CLIENT_SECRET: 'cursor-s3cret' },
    notCarried: { 'local-server': ['envFile', 'args[1]'] },
    missing: { 'local-server': ['workspaceFolder', 'USER_NAME', 'LOCAL_API_KEY'], web: ['SUFFIX', 'WEB_TOKEN'] },
  },
});
