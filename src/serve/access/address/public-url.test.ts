import { expect, test } from 'vitest';
import { parsePublicUrl } from './public-url.ts';

test.each([
  ['https://MCP.example.com/', 'https://mcp.example.com', 'mcp.example.com', 'https://mcp.example.com'],
  ['https://a.example.com:8443/mcp/', 'https://a.example.com:8443/mcp', 'a.example.com', 'https://a.example.com:8443'],
  ['http://desk.ts.net', 'http://desk.ts.net', 'desk.ts.net', 'http://desk.ts.net'],
  ['https://[2001:db8::1]:443', 'https://[2001:db8::1]', '2001:db8::1', 'https://[2001:db8::1]'],
])('%s allows its Host and Origin', (written, href, hostname, origin) => {
  const isEncrypted = written.startsWith('https:');
  expect(parsePublicUrl(written)).toEqual({ href, hostname, origin, isEncrypted, isLoopback: false });
});

test.each([['http://localhost:8080'], ['https://127.0.0.1'], ['http://[::1]:1']])('%s is this machine', (written) => {
  expect(parsePublicUrl(written)).toMatchObject({ isLoopback: true });
});

test.each([
  ['mcp.example.com', '--public-url does not accept mcp.example.com. Write it with its scheme'],
  ['ftp://mcp.example.com', 'Write it with its scheme'],
  ['javascript:alert(1)', 'Write it with its scheme'],
  ['https://', 'Write it with its scheme'],
  ['https://mcp.example.com/?a=b', 'Remove everything after ? or #.'],
  ['https://mcp.example.com/#a', 'Remove everything after ? or #.'],
  ['https://me:geheim@mcp.example.com/', 'Remove them: clients send a token.'],
])('%s is refused with the next step, and without a password', (written, advice) => {
  expect(() => parsePublicUrl(written)).toThrow(
    expect.objectContaining({
      code: 'USAGE',
      message: expect.stringMatching(new RegExp(`^(?!.*geheim).*${escapePattern(advice)}`)),
    }),
  );
});

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
