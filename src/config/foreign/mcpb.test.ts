import { expect, test } from 'vitest';
import { foreignServer, readForeignText } from '../../../test/config/foreign-file.ts';
import { mcpbShape } from './mcpb.ts';

const manifest = (config: object) =>
  JSON.stringify({
    manifest_version: '0.3',
    name: 'files',
    server: { type: 'node', entry_point: 'server/index.js', mcp_config: config },
    user_config: {
      folders: { type: 'directory', multiple: true, default: ['/a', '/b'] },
      home: { type: 'directory', default: `\${HOME}/files` },
      limit: { type: 'number', default: 5 },
      'api-key': { type: 'string', sensitive: true },
    },
  });

test('fills in folders and defaults, and asks for the rest by variables', () => {
  const text = manifest({
    command: 'node',
    args: [`\${__dirname}/server/index.js`, `\${user_config.folders}`, `--limit=\${user_config.limit}`],
    env: { KEY: `\${user_config.api-key}`, HOME_FILES: `\${user_config.home}`, DOCS: `\${DOCUMENTS}\${/}x` },
    platform_overrides: { win32: { command: 'node.exe' }, linux: { env: { ONLY: 'linux' } } },
  });
  expect(readForeignText(mcpbShape, text, { file: '/bundles/files/manifest.json' })).toEqual({
    servers: [
      foreignServer(
        'files',
        {
          transport: 'stdio',
          command: 'node',
          args: ['/bundles/files/server/index.js', '/a', '/b', '--limit=5'],
          env: {
            KEY: `\${API_KEY}`,
            HOME_FILES: '/home/me/files',
            DOCS: '/home/me/Documents/x',
            ONLY: 'linux',
          },
          expand_variables: true,
        },
        [{ key: 'platform_overrides.win32', reason: 'it is for another platform' }],
      ),
    ],
    skipped: [],
  });
});

test('rejects a manifest that does not say how to start the server', () => {
  const text = JSON.stringify({ manifest_version: '0.3', name: 'x', server: { type: 'node' } });
  expect(() => readForeignText(mcpbShape, text)).toThrow('config.json:1: The manifest has no "server.mcp_config"');
});
