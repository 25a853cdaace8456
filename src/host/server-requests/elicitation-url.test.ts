import fc from 'fast-check';
import { expect, test } from 'vitest';
import { inspectUrl } from './elicitation-url.ts';

/** Created once, because setting up all characters takes longer than a test should. */
const anyText = fc.string({ unit: 'binary' });

const UNSEEN = 'It contains invisible characters; they are shown as escapes.';
const UNOPENABLE = 'It is not a URL that can be opened.';
const PLAIN_HTTP = 'It is not https: others on the network can read and change what is sent.';

test.each([
  ['nothing', '', { url: '', host: '', warnings: [UNOPENABLE] }],
  ['a sentence', 'open me', { url: 'open\\u0020me', host: '', warnings: [UNSEEN, UNOPENABLE] }],
  [
    'a javascript: URL',
    'javascript:alert(1)',
    {
      url: 'javascript:alert(1)',
      host: '',
      warnings: ['It is not https: javascript: is not the scheme of a web page.'],
    },
  ],
  [
    'a file: URL',
    'file:///etc/passwd',
    { url: 'file:///etc/passwd', host: '', warnings: ['It is not https: file: is not the scheme of a web page.'] },
  ],
  ['plain HTTP', 'http://a.example/', { url: 'http://a.example/', host: 'a.example', warnings: [PLAIN_HTTP] }],
  [
    'a user name that looks like a host',
    'https://good.example@evil.example/',
    {
      url: 'https://good.example@evil.example/',
      host: 'evil.example',
      warnings: ['It contains a user name before an @, which can look like a host: it leads to evil.example.'],
    },
  ],
  [
    'letters from another script',
    'https://\u0430pple.com/',
    {
      url: 'https://\u0430pple.com/',
      host: 'xn--pple-43d.com',
      warnings: [
        'The host xn--pple-43d.com, shown as \u0430pple.com, is not plain ASCII and may imitate another host.',
        'The host mixes letters that look alike: Latin and Cyrillic.',
      ],
    },
  ],
  [
    'a single non-ASCII script',
    'https://日本語.jp/',
    {
      url: 'https://日本語.jp/',
      host: 'xn--wgv71a119e.jp',
      warnings: ['The host xn--wgv71a119e.jp, shown as 日本語.jp, is not plain ASCII and may imitate another host.'],
    },
  ],
  [
    'an IP address',
    'https://10.0.0.1/',
    { url: 'https://10.0.0.1/', host: '10.0.0.1', warnings: ['The host is a bare IP address: 10.0.0.1.'] },
  ],
  [
    'an IPv6 address',
    'https://[2001:db8::1]/',
    {
      url: 'https://[2001:db8::1]/',
      host: '[2001:db8::1]',
      warnings: ['The host is a bare IP address: [2001:db8::1].'],
    },
  ],
  [
    'a disguised loopback address, even if it appears elsewhere in the URL',
    'https://0x7f.1/?127.0.0.1',
    {
      url: 'https://0x7f.1/?127.0.0.1',
      host: '127.0.0.1',
      warnings: ['The host is written in an unusual way: it leads to 127.0.0.1.'],
    },
  ],
  [
    'a percent-encoded host',
    'https://a%2eexample/',
    {
      url: 'https://a%2eexample/',
      host: 'a.example',
      warnings: ['The host is written in an unusual way: it leads to a.example.'],
    },
  ],
  [
    'bidirectional controls',
    'https://a.example/\u202egnp.exe',
    { url: 'https://a.example/\\u202egnp.exe', host: 'a.example', warnings: [UNSEEN] },
  ],
  [
    'an escape sequence',
    'https://a.example/\u001b[2J',
    { url: 'https://a.example/\\u001b[2J', host: 'a.example', warnings: [UNSEEN] },
  ],
  [
    'invisible letters',
    'https://a.example/\u3164\u{e0100}',
    { url: 'https://a.example/\\u3164\\udb40\\udd00', host: 'a.example', warnings: [UNSEEN] },
  ],
  [
    'a backslash',
    'https://a.example\\@evil.example/',
    {
      url: 'https://a.example\\@evil.example/',
      host: 'a.example',
      warnings: ['It contains a backslash, which programs interpret in different ways.'],
    },
  ],
])('warns about %s', (_, url, inspected) => {
  expect(inspectUrl(url)).toEqual(inspected);
});

test('shows a long URL in full, with a warning', () => {
  const url = `https://a.example/${'x'.repeat(3000)}`;
  expect(inspectUrl(url)).toEqual({ url, host: 'a.example', warnings: ['It is unusually long: 3018 characters.'] });
});

test.each([
  ['https://github.com/login/device?code=1#top', 'github.com'],
  ['HTTPS://GitHub.COM:8443/', 'github.com'],
  ['http://127.0.0.1:3000/callback', '127.0.0.1'],
  ['http://localhost/', 'localhost'],
  ['http://[::1]:8080/', '[::1]'],
])('has no warnings about %s', (url, host) => {
  expect(inspectUrl(url)).toEqual({ url, host, warnings: [] });
});

test('shows any text completely and visibly, and never throws', () => {
  const start = fc.constantFrom('', 'https://', 'https://a.example/', 'http://');
  fc.assert(
    fc.property(start, anyText, (before, after) => {
      const { url, host } = inspectUrl(`${before}${after}`);
      expect(url).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Zs}\p{Cs}]/u);
      expect(host).toMatch(/^[ -~]*$/);
      expect(url.length).toBeGreaterThanOrEqual(before.length + after.length);
    }),
  );
});
