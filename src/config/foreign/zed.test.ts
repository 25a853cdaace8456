import { expect, test } from 'vitest';
import { readForeignText } from '../../../test/config/foreign-file.ts';
import { zedShape } from './zed.ts';

test('translates both forms of a command, and skips extensions', () => {
  const text = `{
    "theme": "One", // settings of the editor
    "context_servers": {
      "now": { "source": "custom", "command": "npx", "args": ["x", "\${LITERAL}"], "env": { "A": "1" }, "enabled": false, "timeout": 60 },
      "older": { "command": { "path": "/bin/server", "args": ["y"], "env": { "B": "2" }, "timeout": 5 }, "settings": {} },
      "web": { "url": "https://web.example/mcp", "headers": { "X-A": "1" } },
      "extension": { "source": "extension", "settings": {} },
      "also-extension": { "settings": {} },
      "pathless": { "command": { "args": [] } },
    },
  }`;
  const timeout = 'its unit depends on the version of Zed: set request_timeout_ms';
  const extension = 'it is a Zed extension, which only Zed can start';
  expect(readForeignText(zedShape, text)).toEqual({
    servers: [
      {
        name: 'now',
        line: 4,
        project: undefined,
        entry: {
          transport: 'stdio',
          command: 'npx',
          args: ['x', `\${LITERAL}`],
          env: { A: '1' },
          enabled: false,
        },
        notCarried: [{ key: 'timeout', reason: timeout }],
      },
      {
        name: 'older',
        line: 5,
        project: undefined,
        entry: { transport: 'stdio', command: '/bin/server', args: ['y'], env: { B: '2' } },
        notCarried: [
          { key: 'command.timeout', reason: 'only Zed uses it' },
          { key: 'settings', reason: 'only Zed uses it' },
        ],
      },
      {
        name: 'web',
        line: 6,
        project: undefined,
        entry: { transport: 'http', url: 'https://web.example/mcp', headers: { 'X-A': '1' } },
        notCarried: [],
      },
    ],
    skipped: [
      { name: 'extension', line: 7, reason: extension },
      { name: 'also-extension', line: 8, reason: extension },
      { name: 'pathless', line: 9, reason: 'its command has no path' },
    ],
  });
});
