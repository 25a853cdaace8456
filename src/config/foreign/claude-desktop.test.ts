import { expect, test } from 'vitest';
import { foreignServer, readForeignText } from '../../../test/config/foreign-file.ts';
import { claudeDesktopShape } from './claude-desktop.ts';

test('translates stdio servers without variables', () => {
  const text = JSON.stringify({
    globalShortcut: '',
    mcpServers: {
      github: { command: 'npx', args: ['-y', 'server-github'], env: { TOKEN: `\${TOKEN}`, PORT: 3000 }, note: 'x' },
    },
  });
  expect(readForeignText(claudeDesktopShape, text)).toEqual({
    servers: [
      foreignServer(
        'github',
        {
          transport: 'stdio',
          command: 'npx',
          args: ['-y', 'server-github'],
          env: { TOKEN: `\${TOKEN}`, PORT: '3000' },
        },
        [{ key: 'note', reason: 'Switchboard has no such setting' }],
      ),
    ],
    skipped: [],
  });
});
