import { at, describeClient } from './client-contract.ts';

describeClient({
  client: 'zed',
  file: '.config/zed/settings.json',
  text: `// Zed settings
{
  "theme": "One Dark",
  "context_servers": {
    "files": {
      "source": "custom",
      "command": "npx", // from npm
      "args": ["-y", "server-files"],
      "env": {}
    },
    "web": { "source": "custom", "command": "uvx", "args": ["server-web"], "env": {} }, // last
  }
}
`,
  servers: ['context_servers'],
  entry: (command) => ({ source: 'custom', command, args: ['gateway', '--client', 'zed'], env: {} }),
  isOn: (content, name) => at(content, ['context_servers', name, 'enabled']) !== false,
});
