import { describeShape } from './shape-contract.ts';

describeShape('Windsurf', {
  client: 'windsurf',
  file: '.codeium/windsurf/mcp_config.json',
  text: `{
  "mcpServers": {
    "search": {
      "serverUrl": "https://search.example/mcp?api_key=url-s3cret&lang=en",
      "url": "https://old.example/sse",
      "headers": { "X-User": "\${env:SEARCH_USER}" },
      "disabled": true,
      "disabledTools": ["write", "delete"],
      "alwaysAllow": ["read"]
    },
    "local": { "command": "npx", "args": ["server", "--key=arg-s3cret"], "env": { "A": "1" }, "disabled": false }
  }
}
`,
  servers: [['mcpServers']],
  // It has its default value.
  redundant: ['disabled'],
  expected: {
    entries: {
      search: {
        transport: 'http',
        url: `https://search.example/mcp?api_key=\${IMPORTED_SEARCH_API_KEY}&lang=en`,
        disabled_tools: ['write', 'delete'],
        header_env: { 'X-User': 'SEARCH_USER' },
        expand_variables: true,
        enabled: false,
        imported_from: 'Windsurf (~/.codeium/windsurf/mcp_config.json)',
      },
      local: {
        transport: 'stdio',
        command: 'npx',
        args: ['server', `--key=\${IMPORTED_LOCAL_KEY}`],
        env: { A: '1' },
        expand_variables: true,
        imported_from: 'Windsurf (~/.codeium/windsurf/mcp_config.json)',
      },
    },
    secrets: { IMPORTED_SEARCH_API_KEY: 'url-s3cret', IMPORTED_LOCAL_KEY: 'arg-s3cret' },
    notCarried: { search: ['url', 'alwaysAllow'] },
    missing: { search: ['SEARCH_USER'] },
  },
});
