import { describe, expect, test } from 'vitest';
import { isOwnGateway } from './own-gateway.ts';

describe('our own gateway', () => {
  test.each([
    'switchboard',
    'switchboard gateway',
    'switchboard gateway --config x.json',
    '/usr/local/bin/switchboard gateway',
    'C:\\npm\\switchboard.cmd gateway',
    'npx switchboard',
    'npx -y switchboard gateway',
    'npx --yes switchboard@1.2.3 gateway --only a',
    'npx -p switchboard switchboard gateway',
    'npm exec -- switchboard gateway',
    'pnpm dlx switchboard',
    'bunx switchboard gateway',
    'cmd /c npx -y switchboard',
    'env SWITCHBOARD_HOME=/x switchboard gateway',
    'node /x/node_modules/switchboard/dist/cli/main.js',
    'node --enable-source-maps /any/folder/dist/cli/main.js gateway',
    '/x/switchboard/dist/cli/main.js',
  ])('is started by: %s', (line) => {
    expect(isOwnGateway(settings(line))).toBe(true);
  });

  test.each([
    'switchboard -- uvx mcp-server-fetch',
    'npx -y switchboard -- uvx mcp-server-fetch',
    'switchboard codex',
    'switchboard --version',
    'npx some-tool switchboard',
    'npx -y @other/switchboard-tools gateway',
    'switchboard-fetch',
    'my-switchboard gateway',
    'node /other/dist/cli/main.js',
    'node server.js gateway',
    'uvx switchboard',
    'echo switchboard gateway',
    'npx',
    'node --version',
  ])('is not started by: %s', (line) => {
    expect(isOwnGateway(settings(line))).toBe(false);
  });
});

function settings(line: string) {
  const [command = '', ...args] = line.split(' ');
  return { command, args };
}
