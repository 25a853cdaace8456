import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { propertyRuns } from '../../../test/property-runs.ts';
import { createRedact, createRedactor, isSecretName } from './redact.ts';

const BUDGET = propertyRuns(500);

const redact = createRedact([]);

describe('redacts a known value', () => {
  const secret = 'p"a/s\\s\n<é>+w0rd';
  const hide = createRedact([secret]);

  test.each([
    ['verbatim', secret],
    ['in JSON', JSON.stringify({ a: secret })],
    ['in JSON inside JSON', JSON.stringify({ a: JSON.stringify({ b: secret }) })],
    ['in JSON inside JSON inside JSON', JSON.stringify([JSON.stringify([JSON.stringify([secret])])])],
    ['in ASCII-only JSON', String.raw`"p\"a\/s\\s\n\u003c\u00e9\u003E\u002Bw0rd"`],
    ['in a URL', `https://example.com/?q=${encodeURIComponent(secret)}`],
  ])('%s', (_, text) => {
    const masked = hide(text);
    expect(masked).toContain('***');
    expect(masked).not.toMatch(/w0rd|p\\*"a/);
  });

  test.each([
    ['fully percent-encoded', (text: string) => [...Buffer.from(text)].map(toPercent).join('')],
    ['percent-encoded twice', (text: string) => encodeURIComponent(encodeURIComponent(text))],
    ['in HTML', (text: string) => text.replace(/["/+]/g, (char) => `&#${char.charCodeAt(0)};`)],
    [
      'in HTML with named and hexadecimal references',
      (text: string) => text.replace('"', '&quot;').replace('/', '&#x2F;'),
    ],
    ['with hex escapes, as in web server logs', (text: string) => text.replace(/\W/g, toHexEscape)],
    ['in hexadecimal', (text: string) => Buffer.from(text).toString('hex')],
    ['in uppercase', (text: string) => text.toUpperCase()],
    ['in lowercase', (text: string) => text.toLowerCase()],
    ['with a color code in the middle', (text: string) => `${text.slice(0, 5)}\u001b[31m${text.slice(5)}`],
    ['with an invisible character in the middle', (text: string) => `${text.slice(0, 5)}\u200b${text.slice(5)}`],
  ])('%s', (_, write) => {
    expect(createRedact(['Zq7+vX/Kp2"mW9Lr4t'])(`key ${write('Zq7+vX/Kp2"mW9Lr4t')} end`)).toBe('key *** end');
  });

  test('case-sensitively, if it may be a word', () => {
    expect(createRedact(['readonly'])('readonly and readOnly')).toBe('*** and readOnly');
  });

  test('at every occurrence, without touching adjacent text', () => {
    const text = '{"text":"abcdef-xyz and abcdefabcdef","n":1.0,"n":9007199254740993}';
    expect(createRedact(['abcdef'])(text)).toBe('{"text":"***-xyz and ******","n":1.0,"n":9007199254740993}');
  });

  test('longest first, if one value is a prefix of another', () => {
    expect(createRedact(['abcdef', 'abcdefghi'])('abcdefghi abcdefg')).toBe('*** ***g');
  });

  test('unless it is too short to distinguish from a word', () => {
    expect(createRedact(['true', '', 'prod'])('{"true":"prod"}')).toBe('{"true":"prod"}');
  });

  test('and everything after it, if it is very long', () => {
    const long = 'k'.repeat(3000);
    expect(createRedact([long])(`{"a":"${long}","b":1}`)).toBe('{"a":"***');
  });

  test.each(['\u2028', '\u2029', '\u0085'])('next to a line separator, and keeps the JSON valid: %j', (separator) => {
    const masked = createRedact(['hunter22'])(JSON.stringify({ text: `${separator}|hunter22|${separator}` }));
    expect(JSON.parse(masked).text).toContain('|***|');
  });

  test('of any characters, and keeps the surrounding JSON valid', () => {
    const part = fc.string({ unit: 'grapheme', minLength: 6, maxLength: 12 }).filter((text) => !text.includes('*'));
    fc.assert(
      fc.property(part, fc.string({ unit: 'grapheme', maxLength: 4 }), fc.nat(2), (value, beside, depth) => {
        let text = JSON.stringify({ text: `${beside}|${value}|${beside}` });
        for (let i = 0; i < depth; i++) text = JSON.stringify({ text });
        const masked = createRedact([value])(text);
        const inner = (json: string, levels: number): string =>
          levels < 0 ? json : inner(JSON.parse(json).text, levels - 1);
        expect(inner(masked, depth)).not.toContain(value);
      }),
      BUDGET,
    );
  });
});

describe('redacts the value of a secret key', () => {
  test.each([
    ['a string', '{"password":"hunter2","user":"me"}', '{"password":"***","user":"me"}'],
    ['an empty string', '{"token":""}', '{"token":"***"}'],
    ['a string with quotes and escapes', String.raw`{"token":"a\"b\\","n":"b"}`, '{"token":"***","n":"b"}'],
    ['a number', '{ "api_key" : 12345.6e7 , "n":1}', '{ "api_key" : "***" , "n":1}'],
    ['an array of strings', '{"set-cookie":["a=1", "b=\\"2\\""],"n":1}', '{"set-cookie":"***","n":1}'],
    ['a truncated string', '{"Authorization":"Basic abc', '{"Authorization":"***"'],
    ['a truncated array', '{"cookies":["a=1", "b=', '{"cookies":"***"'],
    [
      'a string in JSON inside a string',
      JSON.stringify({ text: JSON.stringify({ a: { clientSecret: 'x"y\\' }, n: 'kept' }) }),
      JSON.stringify({ text: JSON.stringify({ a: { clientSecret: '***' }, n: 'kept' }) }),
    ],
    ['a secret key inside the object of another', '{"auth":{"token":"abc","n":1}}', '{"auth":{"token":"***","n":1}}'],
    [
      'a query parameter',
      '"https://x.org/a?page=2&access_token=abc&n=1"',
      '"https://x.org/a?page=2&access_token=***&n=1"',
    ],
  ])('%s', (_, text, masked) => {
    expect(redact(text)).toBe(masked);
  });

  test.each([
    ['a schema', '{"properties":{"password":{"type":"string"}},"required":["password"]}'],
    ['null and booleans', '{"token":null,"auth":true}'],
    ['an array of objects', '{"credentials":[{"n":1}]}'],
    ['a progress token', '{"_meta":{"progressToken":"abc-1"}}'],
    ['a cursor', '{"nextCursor":"abc","nextPageToken":"def"}'],
    ['a string value that matches a key name', '{"a":"password","b":"x"}'],
  ])('but not %s', (_, text) => {
    expect(redact(text)).toBe(text);
  });
});

test.each([
  ['authorization', true],
  ['Proxy-Authorization', true],
  ['X-API-Key', true],
  ['GITHUB_TOKEN', true],
  ['accessToken', true],
  ['AWS_SECRET_ACCESS_KEY', true],
  ['client_secret', true],
  ['PGPASSWORD', true],
  ['Set-Cookie', true],
  ['progressToken', false],
  ['nextCursor', false],
  ['page_token', false],
  ['max_tokens', false],
  ['token_type', false],
  ['authorization_endpoint', false],
  ['author', false],
  ['PWD', false],
  ['OLDPWD', false],
  ['key', false],
  ['DB_PASS', true],
  ['--pass', true],
  ['smtp-pass', true],
  ['dbPass', true],
  ['REDIS_PASS_2', true],
  ['--pat', true],
  ['GITHUB_PAT', true],
  ['github.pat', true],
  ['--key', true],
  ['-key', true],
  ['--api-key', true],
  ['--private-key', true],
  ['--licenseKey', true],
  ['--LICENSE_KEY', true],
  ['--path', false],
  ['--compat', false],
  ['--compass', false],
  ['--bypass', false],
  ['PASSIVE', false],
  ['--pass-through', false],
  ['--keyboard', false],
  ['--hotkey', false],
  ['--public-key', false],
  ['--key-file', false],
  ['KEYS_ONLY', false],
  ['sortKey', false],
])('isSecretName of %s is %s', (name, expected) => {
  expect(isSecretName(name)).toBe(expected);
});

test.each([
  ['a bearer token', 'Authorization: Bearer abc.def-123', 'Authorization: Bearer ***'],
  ['basic credentials', 'basic dXNlcjpwYXNz=', 'basic ***'],
  ['an OpenAI key', '"use sk-proj-abcdefghijklmnop now"', '"use *** now"'],
  ['a GitHub token', 'ghp_abcdefghijklmnopqrst', '***'],
  ['a token of an HTTP client', `swb_0123456789ab_${'0'.repeat(64)}`, '***'],
  ['a fine-grained GitHub token', 'github_pat_11AAAA_bcdefghij', '***'],
  ['a Slack token', 'xoxb-123456789012-abc', '***'],
  ['an AWS access key', 'AKIAIOSFODNN7EXAMPLE', '***'],
  ['a JSON Web Token', 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc_-', '***'],
  [
    'a private key',
    String.raw`"-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----\n"`,
    String.raw`"***\n"`,
  ],
  ['a password in a URL', 'postgres://me:secret@host/db', 'postgres://***@host/db'],
])('recognizes %s by its format', (_, text, masked) => {
  expect(redact(text)).toBe(masked);
});

test('leaves ordinary messages unchanged', () => {
  const text =
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"task-management_list","arguments":{"path":"/a/b","risk_sk":"npm_config_registry_default"}}}';
  expect(redact(text)).toBe(text);
});

test.each([
  ['backslashes', '\\'.repeat(300_000)],
  ['quotes', '"'.repeat(300_000)],
  ['key names', '"token":'.repeat(40_000)],
  ['unclosed arrays', '"token":['.repeat(40_000)],
  ['JSON Web Token prefixes', 'eyJ-'.repeat(75_000)],
  ['URL prefixes', '://a:'.repeat(60_000)],
  ['private key headers', '-----BEGIN PRIVATE KEY-----'.repeat(10_000)],
  ['spaces', `"token"${' '.repeat(300_000)}`],
])('redacts a flood of %s within the test timeout', (_, text) => {
  const hide = createRedact(['"\\\\quoted\\\\"', '\\\\\\backslash']);
  expect(hide(text).length).toBeLessThan(text.length + 10);
});

describe('redacts the prefix of a known token at a truncation', () => {
  const hide = createRedact(['q7/Zt+pw9:Lm4~vKx2']);

  test.each([
    ['at the end of the text', 'refused: q7/Zt+pw9', 'refused: ***'],
    ['before an ellipsis', 'refused: q7/Zt+pw9:L... (cut)', 'refused: *** (cut)'],
    ['in a JSON string', '{"a":"q7/Zt+pw9:L","b":1}', '{"a":"***","b":1}'],
    ['its suffix at the start of the text', ':Lm4~vKx2 is wrong', '*** is wrong'],
  ])('%s', (_, text, masked) => {
    expect(hide(text)).toBe(masked);
  });

  test.each([
    ['a word', 'production-eu', 'in production'],
    ['a path', '/home/me2/project/data', 'no file /home/me2/other'],
    ['a URL', 'https://api1.example.com/v1', 'no answer from https://api1.example.com/v2'],
  ])('but not the prefix of %s', (_, value, text) => {
    expect(createRedact([value])(text)).toBe(text);
  });
});

test('redacts a known value in base64 at any offset', () => {
  const secret = 'q7Zt+pw9/Lm4~vKx2';
  const hide = createRedactor([secret]).redactValues;
  for (const before of ['', 'a', 'ab', 'Bearer ', 'user:']) {
    for (const encoding of ['base64', 'base64url'] as const) {
      const text = Buffer.from(`${before}${secret} and more`).toString(encoding);
      const shown = hide(`got ${text}!`);
      expect(Buffer.from(shown.replace(/^got |\*\*\*.*$/g, ''), encoding).toString()).not.toContain(secret.slice(0, 4));
      expect(shown).toContain('***');
    }
  }
});

test('redactValues redacts known values only', () => {
  const { redact: all, redactValues } = createRedactor(['abcdef']);
  const text = '{"url":"https://x.org/?token=123456","v":"abcdef"}';
  expect([redactValues(text), all(text)]).toEqual([
    '{"url":"https://x.org/?token=123456","v":"***"}',
    '{"url":"https://x.org/?token=***","v":"***"}',
  ]);
});

test('redactTokens redacts tokens but not words', () => {
  const { redactTokens } = createRedactor(['search', '/home/me/notes', 'zq7Xk29f', '12345678']);
  expect(redactTokens('search /home/me/notes zq7Xk29f 12345678')).toBe('search /home/me/notes *** ***');
});

function toPercent(byte: number): string {
  return `%${byte.toString(16)}`;
}

function toHexEscape(char: string): string {
  return `\\x${char.charCodeAt(0).toString(16)}`;
}
