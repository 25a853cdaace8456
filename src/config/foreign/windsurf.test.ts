import { expect, test } from 'vitest';
import { readForeignText } from '../../../test/config/foreign-file.ts';
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
      {
        name: 'web',
        line: 1,
        project: undefined,
        entry: {
          transport: 'http',
          url: 'https://web.example/mcp',
          headers: { 'X-Key': `\${KEY}` },
          enabled: false,
          disabled_tools: ['write'],
          expand_variables: true,
        },
        notCarried: [{ key: 'alwaysAllow', reason: 'Switchboard has no such setting' }],
      },
      {
        name: 'local',
        line: 1,
        project: undefined,
        entry: { transport: 'stdio', command: 'npx', args: ['x'], env: { A: '1' } },
        notCarried: [],
      },
    ],
    skipped: [],
  });
});
