import { describe, expect, test } from 'vitest';
import { commandsFor, openBrowser } from './browser.ts';

const url = 'https://as.example/auth?a=1&b=$(calc)&c=%s';

describe('browser commands', () => {
  test.each([
    ['linux', ['xdg-open', url]],
    ['darwin', ['open', url]],
    ['win32', ['rundll32', 'url.dll,FileProtocolHandler', url]],
  ] as const)('on %s are the platform defaults', (platform, command) => {
    expect(commandsFor(url, undefined, platform)).toEqual([command]);
    expect(commandsFor(url, ' ', platform)).toEqual([command]);
  });

  test('come from $BROWSER, with the URL as one argument', () => {
    expect(commandsFor(url, '/opt/my browser/bin:w3m -o x=%s --:: $(evil)', 'linux')).toEqual([
      ['/opt/my browser/bin', url],
      ['w3m', '-o', `x=${url}`, '--'],
      ['$(evil)', url],
    ]);
    expect(commandsFor(url, 'C:\\Program Files\\x.exe;y', 'win32')).toEqual([
      ['C:\\Program Files\\x.exe', url],
      ['y', url],
    ]);
  });
});

test.each([
  'javascript:alert(1)',
  'file:///etc/passwd',
  'data:text/html,x',
  'vbscript:x',
  'http://as.example/auth',
  'https://user:password@as.example/',
  'https://10.0.0.1/',
  '-o /tmp/x',
])('never opens %s', async (address) => {
  const env = { BROWSER: 'true' };
  const opened = openBrowser(address, { env, platform: 'linux', configuredUrl: 'https://mcp.example/mcp' });
  await expect(opened).rejects.toThrow(expect.objectContaining({ code: 'DENIED' }));
});
