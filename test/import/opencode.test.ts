import { describeShape } from './shape-contract.ts';

describeShape('opencode, version 1', {
  client: 'opencode',
  file: '.config/opencode/opencode.json',
  files: { '.config/opencode/token.txt': 'file-s3cret\n' },
  text: `{
  "$schema": "https://opencode.ai/config.json",
  "mcp": {
    "local": {
      "type": "local",
      "command": ["bun", "x", "{env:PACKAGE}", "\${NOT_A_VARIABLE_HERE}"],
      "environment": { "KEY": "{env:LOCAL_KEY}", "FILE_TOKEN": "{file:./token.txt}" },
      "enabled": false,
      "timeout": 5000
    },
    "web": {
      "type": "remote",
      "url": "https://web.example/mcp",
      "headers": { "Authorization": "Bearer {env:WEB_TOKEN}" },
      "oauth": { "clientId": "abc", "clientSecret": "{env:WEB_SECRET}", "scope": "a", "callbackPort": 1 }
    },
    "open": { "type": "remote", "url": "https://open.example/mcp", "oauth": false }
  }
}
`,
  servers: [['mcp']],
  redundant: ['type'],
  expected: {
    entries: {
      local: {
        transport: 'stdio',
        command: 'bun',
        args: ['x', `\${PACKAGE}`, `\${NOT_A_VARIABLE_HERE}`],
        env: { KEY: `\${LOCAL_KEY}`, FILE_TOKEN: `\${IMPORTED_LOCAL_FILE_TOKEN}` },
        startup_timeout_ms: 5000,
        expand_variables: true,
        enabled: false,
        imported_from: 'opencode (~/.config/opencode/opencode.json)',
      },
      web: {
        transport: 'http',
        url: 'https://web.example/mcp',
        oauth: { client_id: 'abc', scope: 'a', client_secret_env: 'WEB_SECRET' },
        bearer_token_env_var: 'WEB_TOKEN',
        imported_from: 'opencode (~/.config/opencode/opencode.json)',
      },
      open: {
        transport: 'http',
        url: 'https://open.example/mcp',
        imported_from: 'opencode (~/.config/opencode/opencode.json)',
      },
    },
    secrets: { IMPORTED_LOCAL_FILE_TOKEN: 'file-s3cret' },
    notCarried: {
      local: ['command[3]', 'environment.FILE_TOKEN'],
      web: ['oauth.callbackPort'],
      open: ['oauth'],
    },
    missing: { local: ['PACKAGE', 'NOT_A_VARIABLE_HERE', 'LOCAL_KEY'], web: ['WEB_TOKEN', 'WEB_SECRET'] },
  },
});

describeShape('opencode, version 2', {
  client: 'opencode',
  file: '.config/opencode/opencode.jsonc',
  text: `{
  // The second version of the format
  "mcp": {
    "servers": {
      "local": {
        "type": "local",
        "command": ["node", "server.js"],
        "cwd": "/srv",
        "environment": { "A": "1" },
        "disabled": true,
        "timeout": { "startup": 1000, "request": 2000, "idle": 5 },
      },
      "web": {
        "type": "remote",
        "url": "https://web.example/mcp",
        "headers": { "X-Team": "blue" },
        "oauth": { "client_id": "abc", "client_secret": "oauth-s3cret", "scope": "a", "redirect_uri": "http://x" },
      },
    },
  },
}
`,
  servers: [['mcp', 'servers']],
  redundant: ['type'],
  expected: {
    entries: {
      local: {
        transport: 'stdio',
        command: 'node',
        args: ['server.js'],
        cwd: '/srv',
        env: { A: '1' },
        startup_timeout_ms: 1000,
        request_timeout_ms: 2000,
        enabled: false,
        imported_from: 'opencode (~/.config/opencode/opencode.jsonc)',
      },
      web: {
        transport: 'http',
        url: 'https://web.example/mcp',
        headers: { 'X-Team': 'blue' },
        oauth: { client_id: 'abc', scope: 'a', client_secret_env: 'IMPORTED_WEB_CLIENT_SECRET' },
        imported_from: 'opencode (~/.config/opencode/opencode.jsonc)',
      },
    },
    secrets: { IMPORTED_WEB_CLIENT_SECRET: 'oauth-s3cret' },
    notCarried: { local: ['timeout.idle'], web: ['oauth.redirect_uri'] },
  },
});
