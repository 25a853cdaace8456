import { expect, test } from 'vitest';
import { foreignServer, readForeignText } from '../../../test/config/foreign-file.ts';
import { windsurfShape } from './windsurf.ts';

test('translates serverUrl, disabled servers and disabled tools', () => {
  const text = JSON.stringify({
    mcpServers: {
      web: {
        serverUrl: 'https://web.example/mcp',
        headers: { 'X-Key': `\${env:KEY}` },
        disabled: true,
        disabledTools: ['write'],
        alwaysAllow: ['read'],
      },
      local: { command: 'npx', args: ['x'], env: { A: '1' }, disabled: false },
    },
  });
  expect(readForeignText(windsurfShape, text)).toEqual({
    servers: [
      foreignServer(
        'web',
        {
          transport: 'http',
          url: 'https://web.example/mcp',
          headers: { 'X-Key': `\${KEY}` },
          enabled: false,
          disabled_tools: ['write'],
          expand_variables: true,
        },
        [{ key: 'alwaysAllow', reason: 'Switchboard has no such setting' }],
      ),
      foreignServer('local', { transport: 'stdio', command: 'npx', args: ['x'], env: { A: '1' } }),
    ],
    skipped: [],
  });
});
