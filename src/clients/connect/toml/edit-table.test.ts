import { parse } from 'smol-toml';
import { describe, expect, test } from 'vitest';
import { appendTable, removeTable, removeValue, setValue } from './edit-table.ts';

const PATH = ['mcp_servers', 'ours'];
const TEXT = `top = """
[mcp_servers.ours]
""" # not a table
list = [
  ["a"],
  [ 'b]' ], # [mcp_servers.ours]
]

[mcp_servers.first]
command = "x"   # why
env = { A = "[b]" }

# About the last one
[[things]]
name = 'it''
`.replace("'it''", "'it'");

describe('a table', () => {
  test('is appended after a blank line and removed with it', () => {
    const added = appendTable(TEXT, PATH, { command: 'c:\\x', args: ['a "b"'], required: true });
    expect(added).toBe(`${TEXT}\n[mcp_servers.ours]\ncommand = "c:\\\\x"\nargs = ["a \\"b\\""]\nrequired = true\n`);
    expect(removeTable(added, PATH)).toBe(TEXT);
  });

  test('is removed with the tables below it, and comments stay', () => {
    const ours = '[mcp_servers.ours]\na = 1\n\n[mcp_servers.ours.env]\nB = "2"\n\n# Next\n';
    expect(removeTable(`${ours}[next]\n${TEXT}`, PATH)).toBe(`\n# Next\n[next]\n${TEXT}`);
  });

  test('may have quoted keys and Windows line ends', () => {
    const text = 'a = 1\r\n\r\n[mcp_servers."my server"]\r\nx = 1\r\n\r\n[b]\r\n';
    expect(removeTable(text, ['mcp_servers', 'my server'])).toBe('a = 1\r\n\r\n[b]\r\n');
    expect(appendTable('a = 1\r\n', ['b', 'c d'], { e: 1 })).toBe('a = 1\r\n\r\n[b."c d"]\r\ne = 1\r\n');
  });
});

describe('a value', () => {
  const first = ['mcp_servers', 'first'];

  test('is added below the header, and removed', () => {
    const added = setValue(TEXT, { path: first, key: 'enabled', value: false });
    expect(added).toBe(TEXT.replace('[mcp_servers.first]\n', '$&enabled = false\n'));
    expect(removeValue(added, first, 'enabled')).toBe(TEXT);
  });

  test('is replaced, and its comment stays', () => {
    expect(setValue(TEXT, { path: first, key: 'command', value: 'y' })).toBe(
      TEXT.replace('command = "x"   # why', 'command = "y"   # why'),
    );
  });

  test('is added to a header at the end of the text', () => {
    expect(setValue('[a]', { path: ['a'], key: 'b', value: true })).toBe('[a]\nb = true\n');
  });
});

test('the text of these tests is TOML', () => expect(Object.keys(parse(TEXT))).toContain('things'));
