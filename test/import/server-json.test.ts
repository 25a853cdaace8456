import { describeShape } from './shape-contract.ts';

/** Texts for people, and whether a value is needed or secret: a value that is missing is asked for in any case. */
const DESCRIPTIVE = ['description', 'isRequired', 'isSecret', 'is_required', 'is_secret', 'format', 'valueHint'];

describeShape('a server.json of the MCP registry', {
  file: 'downloads/server.json',
  text: `{
  "$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
  "name": "io.github.example/weather",
  "description": "Weather",
  "version": "1.0.2",
  "packages": [
    { "registryType": "mcpb", "identifier": "https://example.com/weather.mcpb", "transport": { "type": "stdio" } },
    {
      "registryType": "npm",
      "registryBaseUrl": "https://registry.example",
      "identifier": "@example/weather",
      "version": "1.0.2",
      "runtimeHint": "npx",
      "fileSha256": "abc",
      "transport": { "type": "stdio" },
      "runtimeArguments": [{ "type": "named", "name": "--cache", "value": "{dir}", "variables": { "dir": { "default": "/x" } } }],
      "packageArguments": [
        { "type": "positional", "valueHint": "mode", "value": "serve" },
        { "type": "named", "name": "--units", "default": "metric" },
        { "type": "positional", "valueHint": "city", "description": "City", "isRequired": true }
      ],
      "environmentVariables": [
        { "name": "WEATHER_KEY", "description": "Key", "isRequired": true, "isSecret": true },
        { "name": "LOG", "default": "info", "format": "string" }
      ]
    }
  ],
  "remotes": [{ "type": "sse", "url": "https://weather.example/sse" }]
}
`,
  servers: [['packages', 1]],
  redundant: [...DESCRIPTIVE, 'runtimeHint', 'transport', 'type'],
  expected: {
    entries: {
      weather: {
        transport: 'stdio',
        command: 'npx',
        args: ['-y', '--cache', '/x', '@example/weather@1.0.2', 'serve', '--units', 'metric', `\${CITY}`],
        env: { LOG: 'info' },
        env_vars: ['WEATHER_KEY'],
        expand_variables: true,
        imported_from: 'a server.json of the MCP registry (~/downloads/server.json)',
      },
    },
    notCarried: {
      weather: ['packages[1].registryBaseUrl', 'packages[1].fileSha256', 'packages[0]', 'remotes[0]'],
    },
    missing: { weather: ['CITY', 'WEATHER_KEY'] },
  },
});

describeShape('an older server.json', {
  file: 'downloads/server.json',
  text: `{
  "name": "io.github.example/web",
  "packages": [{ "registry_type": "npm", "identifier": "web", "transport": { "type": "sse" } }],
  "remotes": [
    {
      "transport_type": "streamable-http",
      "url": "https://{tenant}.example/{region}/mcp",
      "variables": { "tenant": { "is_required": true }, "region": { "default": "eu" } },
      "headers": [
        { "name": "Authorization", "value": "Bearer {token}", "variables": { "token": { "is_secret": true } } },
        { "name": "X-Api-Key", "is_required": true, "is_secret": true },
        { "name": "X-Team", "value": "blue" }
      ]
    }
  ]
}
`,
  servers: [['remotes', 0]],
  // A variable that is not declared is asked for, like one without a default.
  redundant: [...DESCRIPTIVE, 'transport_type', 'tenant', 'token', 'variables'],
  expected: {
    entries: {
      web: {
        transport: 'http',
        url: `https://\${TENANT}.example/eu/mcp`,
        headers: { 'X-Team': 'blue' },
        header_env: { 'X-Api-Key': 'X_API_KEY' },
        bearer_token_env_var: 'TOKEN',
        expand_variables: true,
        imported_from: 'a server.json of the MCP registry (~/downloads/server.json)',
      },
    },
    notCarried: { web: ['packages[0]'] },
    missing: { web: ['TENANT', 'X_API_KEY', 'TOKEN'] },
  },
});
