import { expect, test } from 'vitest';
import { foreignServer, readForeignText } from '../../../test/config/foreign-file.ts';
import { copilotShape } from './copilot.ts';

test('translates types, tool lists and timeouts', () => {
  const text = JSON.stringify({
    mcpServers: {
      all: { type: 'local', command: 'npx', args: ['x'], env: { A: `\${A}` }, tools: ['*'], timeout: 3000 },
      some: { type: 'http', url: 'https://some.example/mcp', headers: { 'X-A': '1' }, tools: ['read'] },
    },
  });
  expect(readForeignText(copilotShape, text)).toEqual({
    servers: [
      foreignServer('all', {
        transport: 'stdio',
        command: 'npx',
        args: ['x'],
        env: { A: `\${A}` },
        request_timeout_ms: 3000,
      }),
      foreignServer('some', {
        transport: 'http',
        url: 'https://some.example/mcp',
        headers: { 'X-A': '1' },
        enabled_tools: ['read'],
      }),
    ],
    skipped: [],
  });
});
