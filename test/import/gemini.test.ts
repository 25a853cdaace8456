import { describeShape } from './shape-contract.ts';

describeShape('Gemini CLI', {
  client: 'gemini',
  file: '.gemini/settings.json',
  text: `{
  "ui": { "theme": "GitHub" },
  "mcp": { "allowed": ["local", "web", "events"], "excluded": ["events"] },
  "mcpServers": {
    "local": {
      "command": "$BIN/server",
      "args": ["--user", "\${GEMINI_USER}", "--price", "5$"],
      "env": { "TOKEN": "$LOCAL_TOKEN" },
      "cwd": "./servers",
      "timeout": 45000,
      "trust": true,
      "description": "Local files",
      "includeTools": ["read"],
      "excludeTools": ["write"],
      // Never leaves Gemini
      "extension": { "name": "x" },
    },
    "web": {
      "httpUrl": "https://web.example/mcp",
      "url": "https://web.example/sse",
      "headers": { "X-Key": "web-s3cret-value" },
      "oauth": {
        "enabled": true, "clientId": "abc", "clientSecret": "oauth-s3cret", "scopes": ["a", "b"],
        "authorizationUrl": "https://auth.example/authorize", "tokenUrl": "https://auth.example/token",
        "redirectUri": "http://localhost:7777/oauth/callback"
      },
      "authProviderType": "google_credentials",
      "targetAudience": "x",
      "targetServiceAccount": "y"
    },
    "events": { "url": "https://events.example/sse" },
    "forgotten": { "command": "node" },
    "socket": { "tcp": "ws://127.0.0.1:1" }
  }
}
`,
  servers: [['mcpServers'], ['mcp', 'excluded']],
  expected: {
    entries: {
      local: {
        transport: 'stdio',
        command: `\${BIN}/server`,
        args: ['--user', `\${GEMINI_USER}`, '--price', '5$'],
        cwd: './servers',
        env: { TOKEN: `\${LOCAL_TOKEN}` },
        enabled_tools: ['read'],
        disabled_tools: ['write'],
        request_timeout_ms: 45_000,
        expand_variables: true,
        imported_from: 'Gemini CLI (~/.gemini/settings.json)',
      },
      web: {
        transport: 'http',
        url: 'https://web.example/mcp',
        header_env: { 'X-Key': 'IMPORTED_WEB_X_KEY' },
        oauth: {
          authorization_url: 'https://auth.example/authorize',
          token_url: 'https://auth.example/token',
          client_id: 'abc',
          scope: 'a b',
          client_secret_env: 'IMPORTED_WEB_CLIENT_SECRET',
        },
        imported_from: 'Gemini CLI (~/.gemini/settings.json)',
      },
      events: {
        transport: 'http',
        url: 'https://events.example/sse',
        enabled: false,
        imported_from: 'Gemini CLI (~/.gemini/settings.json)',
      },
      forgotten: {
        transport: 'stdio',
        command: 'node',
        enabled: false,
        imported_from: 'Gemini CLI (~/.gemini/settings.json)',
      },
    },
    secrets: { IMPORTED_WEB_X_KEY: 'web-s3cret-value', IMPORTED_WEB_CLIENT_SECRET: 'oauth-s3cret' },
    notCarried: {
      local: ['trust', 'description', 'extension'],
      web: ['url', 'authProviderType', 'targetAudience', 'targetServiceAccount', 'oauth.enabled', 'oauth.redirectUri'],
    },
    skipped: { socket: 'does not connect to WebSocket servers' },
    missing: { local: ['BIN', 'GEMINI_USER', 'LOCAL_TOKEN'] },
  },
});
