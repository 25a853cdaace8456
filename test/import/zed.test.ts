import { describeShape } from './shape-contract.ts';

describeShape('Zed', {
  client: 'zed',
  file: '.config/zed/settings.json',
  text: `// Zed settings
{
  "theme": "One Dark",
  "context_servers": {
    "database": {
      "source": "custom",
      "command": "db-server",
      "args": ["--schema", "public"],
      "env": { "DB_PASSWORD": "zed-s3cret", "DB_HOST": "localhost" },
      "timeout": 60,
      "enabled": false,
      "settings": { "anything": true },
    },
    "older": { "command": { "path": "older-server", "args": ["--stdio"], "env": { "A": "1" }, "shell": "sh" } },
    "web": { "url": "https://web.example/mcp", "headers": { "Authorization": "Bearer web-s3cret" } },
    "extension": { "source": "extension", "settings": {} },
  },
}
`,
  servers: [['context_servers']],
  // `custom` is the default, and an extension is recognized without its settings.
  redundant: ['source', 'settings'],
  expected: {
    entries: {
      database: {
        transport: 'stdio',
        command: 'db-server',
        args: ['--schema', 'public'],
        env: { DB_HOST: 'localhost', DB_PASSWORD: `\${IMPORTED_DATABASE_DB_PASSWORD}` },
        expand_variables: true,
        enabled: false,
        imported_from: 'Zed (~/.config/zed/settings.json)',
      },
      older: {
        transport: 'stdio',
        command: 'older-server',
        args: ['--stdio'],
        env: { A: '1' },
        imported_from: 'Zed (~/.config/zed/settings.json)',
      },
      web: {
        transport: 'http',
        url: 'https://web.example/mcp',
        bearer_token_env_var: 'IMPORTED_WEB_TOKEN',
        imported_from: 'Zed (~/.config/zed/settings.json)',
      },
    },
    secrets: { IMPORTED_DATABASE_DB_PASSWORD: 'zed-s3cret', IMPORTED_WEB_TOKEN: 'web-s3cret' },
    notCarried: { database: ['timeout', 'settings'], older: ['command.shell'] },
    skipped: { extension: 'it is a Zed extension' },
  },
});
