import { expect, test } from 'vitest';
import { foreignServer, readForeignText } from '../../../test/config/foreign-file.ts';
import { registryShape } from './registry-server.ts';

test('turns a package in camelCase into a command, and names the other ways', () => {
  const text = JSON.stringify({
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
    name: 'io.github.example/weather',
    version: '1.0.2',
    packages: [
      {
        registryType: 'mcpb',
        identifier: 'https://example.com/w.mcpb',
        fileSha256: 'x',
        transport: { type: 'stdio' },
      },
      {
        registryType: 'npm',
        registryBaseUrl: 'https://registry.example',
        identifier: '@example/weather',
        version: '1.0.2',
        transport: { type: 'stdio' },
        runtimeArguments: [{ type: 'named', name: '--prefix', value: '{dir}', variables: { dir: { default: '/x' } } }],
        packageArguments: [
          { type: 'positional', valueHint: 'mode', value: 'serve' },
          { type: 'named', name: '--units', default: 'metric' },
          { type: 'positional', valueHint: 'city', isRequired: true },
          { type: 'named', name: '--optional' },
        ],
        environmentVariables: [
          { name: 'WEATHER_KEY', description: 'Key', isRequired: true, isSecret: true },
          { name: 'LOG', default: 'info' },
        ],
      },
    ],
    remotes: [{ type: 'sse', url: 'https://weather.example/sse' }],
  });
  const unused = 'the command that runs the package uses its own settings';
  expect(readForeignText(registryShape, text)).toEqual({
    servers: [
      foreignServer(
        'weather',
        {
          transport: 'stdio',
          command: 'npx',
          args: ['-y', '--prefix', '/x', '@example/weather@1.0.2', 'serve', '--units', 'metric', `\${CITY}`],
          env: { LOG: 'info' },
          env_vars: ['WEATHER_KEY'],
          expand_variables: true,
        },
        [
          { key: 'packages[1].registryBaseUrl', reason: unused },
          { key: 'packages[0]', reason: 'Switchboard cannot start a package of type mcpb' },
          { key: 'remotes[0]', reason: 'packages[1] is used' },
        ],
      ),
    ],
    skipped: [],
  });
});

test('reads the older snake_case, and passes variables to a container by name', () => {
  const text = JSON.stringify({
    name: 'io.github.example/db',
    packages: [
      {
        registry_type: 'oci',
        identifier: 'example/db',
        version: '2.0.0',
        runtime_hint: 'podman',
        runtime_arguments: [{ type: 'named', name: '--network', value: 'host' }],
        environment_variables: [
          { name: 'DB_PASSWORD', is_required: true, is_secret: true },
          { name: 'DB_HOST', value: 'localhost' },
        ],
      },
    ],
  });
  expect(readForeignText(registryShape, text).servers).toEqual([
    foreignServer('db', {
      transport: 'stdio',
      command: 'podman',
      args: ['run', '-i', '--rm', '--network', 'host', '-e', 'DB_PASSWORD', '-e', 'DB_HOST', 'example/db:2.0.0'],
      env: { DB_HOST: 'localhost' },
      env_vars: ['DB_PASSWORD'],
    }),
  ]);
});

test('turns a remote into an HTTP server with variables in its URL and headers', () => {
  const text = JSON.stringify({
    name: 'io.github.example/web',
    remotes: [
      {
        type: 'streamable-http',
        url: 'https://{tenant}.example/{region}/mcp',
        variables: { tenant: { isRequired: true }, region: { default: 'eu' } },
        headers: [
          { name: 'Authorization', value: 'Bearer {token}', variables: { token: { isSecret: true } } },
          { name: 'X-Api-Key', isRequired: true, isSecret: true },
          { name: 'X-Fixed', value: '1' },
        ],
      },
    ],
  });
  expect(readForeignText(registryShape, text).servers).toEqual([
    foreignServer('web', {
      transport: 'http',
      url: `https://\${TENANT}.example/eu/mcp`,
      headers: { Authorization: `Bearer \${TOKEN}`, 'X-Fixed': '1' },
      header_env: { 'X-Api-Key': 'X_API_KEY' },
      expand_variables: true,
    }),
  ]);
});

test.each([
  ['pypi', 'uvx', ['x==1.0']],
  ['nuget', 'dnx', ['--yes', 'x@1.0']],
])('starts a %s package with %s', (registryType, command, args) => {
  const text = JSON.stringify({ name: 'a/x', packages: [{ registryType, identifier: 'x', version: '1.0' }] });
  expect(readForeignText(registryShape, text).servers[0]?.entry).toEqual({ transport: 'stdio', command, args });
});

test('rejects a file without a way to run the server', () => {
  const text = JSON.stringify({
    name: 'a/x',
    packages: [{ registryType: 'npm', identifier: 'x', transport: { type: 'sse' } }],
  });
  expect(() => readForeignText(registryShape, text)).toThrow(
    'No way to run it: the package serves sse: start it yourself and add its URL.',
  );
});
