import { describe, expect, test } from 'vitest';
import { dialects } from '../../src/config/dialects/registry.ts';
import { type ConfigFile, readConfigFile } from '../../src/config/files/config-file.ts';
import type { Layer } from '../../src/config/server-entry.ts';
import { verifies } from '../verifies.ts';
import { type Folder, useFolders } from './folder.ts';

/** The form in which each dialect writes servers: one per line, the first in the given line. */
interface Shape {
  readonly dialect: string;
  readonly firstLine: number;
  readonly path: (name: string, index: number) => string;
  readonly write: (servers: readonly (readonly [string, string])[]) => string;
  readonly expandsVariables: boolean;
}

const keyed = (key: string): Shape => ({
  dialect: key,
  firstLine: 3,
  path: (name) => `${key}.${name}`,
  write: (servers) => `{\n  "${key}": {\n${lines(servers)}\n  }\n}\n`,
  expandsVariables: true,
});

const shapes: readonly Shape[] = [
  keyed('mcpServers'),
  keyed('mcp_servers'),
  keyed('servers'),
  {
    dialect: 'list',
    firstLine: 2,
    path: (_, index) => `[${index}]`,
    write: (servers) => `[\n${servers.map(([name, json]) => named(name, json)).join(',\n')}\n]\n`,
    expandsVariables: true,
  },
  {
    dialect: 'switchboard',
    firstLine: 4,
    path: (name) => `mcp.servers.${name}`,
    write: (servers) => `{ "version": 1,\n  "mcp": {\n    "servers": {\n${lines(servers)}\n} } }\n`,
    expandsVariables: false,
  },
];
const [camel] = shapes;
if (camel === undefined) throw new Error('there are no shapes');

const newFolder = useFolders();

test('every dialect is tested here, by the contract or separately', () => {
  const tested = [...shapes.map(({ dialect }) => dialect), 'single'];
  expect(tested.toSorted()).toEqual(dialects.map(({ name }) => name).toSorted());
});

describe.each(shapes.map((shape) => [shape.dialect, shape] as const))('the dialect %s', (_, shape) => {
  const { firstLine, expandsVariables } = shape;
  const read = (...servers: (readonly [string, string])[]) => readText(newFolder(), shape.write(servers));
  const readOne = (json: string) => read(['fetch', json]).entries[0]?.content;
  const path = shape.path('fetch', 0);

  test('reads a server with its origin, and sets defaults', () => {
    const folder = newFolder();
    const file = readText(folder, shape.write([['fetch', '{ "command": "uvx" }']]));
    const origin = { layer: 'explicit', file: `${folder.path}/servers.json`, line: firstLine };
    const transport = {
      ...{ kind: 'stdio', command: 'uvx', args: [], cwd: undefined, env: {} },
      ...{ envVars: [], inheritEnv: false, framing: 'ndjson' },
    };
    const entry = {
      ...{ id: 'fetch', origin, transport, tools: { allow: undefined, deny: [] } },
      ...{ startupTimeoutMs: undefined, requestTimeoutMs: undefined, expandsVariables },
      ...{ start: 'eager', pin: false, restart: 'overlap', share: 'folder' },
      sharesSignIn: false,
    };
    expect({ dialect: file.dialect, entries: file.entries, problems: file.problems }).toEqual({
      dialect: shape.dialect,
      entries: [
        { id: 'fetch', origin, content: { kind: 'on', entry, transport, expandsVariables, sharesSignIn: false } },
      ],
      problems: [],
    });
  });

  test('reads every key', () => {
    const transport = {
      ...{ kind: 'stdio', command: 'uvx', args: ['a', ''], cwd: '~/x', env: { KEY: 'value', EMPTY: '' } },
      ...{ envVars: ['TOKEN'], inheritEnv: true, framing: 'content-length' },
    };
    const content = readOne(
      JSON.stringify({
        ...{ type: 'stdio', command: 'uvx', args: ['a', ''], cwd: '~/x', env: { KEY: 'value', EMPTY: '' } },
        ...{ env_vars: ['TOKEN'], inherit_env: true, framing: 'content-length', enabled: true, disabled: false },
        ...{ enabled_tools: ['one'], disabled_tools: ['two'], start: 'lazy', pin: true, restart: 'stop-first' },
        share: 'client',
        ...{ startup_timeout_ms: 1500, request_timeout_ms: 30000, somebodyElses: { key: [1] } },
      }),
    );
    expect(content).toMatchObject({
      kind: 'on',
      transport,
      entry: {
        ...{ transport, tools: { allow: ['one'], deny: ['two'] }, start: 'lazy', pin: true, restart: 'stop-first' },
        share: 'client',
        ...{ startupTimeoutMs: 1500, requestTimeoutMs: 30000 },
      },
    });
  });

  test.each([
    ['enabled_tools', { tools: { allow: ['x'], deny: [] } }],
    ['enabledTools', { tools: { allow: ['x'], deny: [] } }],
    ['includeTools', { tools: { allow: ['x'], deny: [] } }],
    ['allowedTools', { tools: { allow: ['x'], deny: [] } }],
    ['disabled_tools', { tools: { allow: undefined, deny: ['x'] } }],
    ['disabledTools', { tools: { allow: undefined, deny: ['x'] } }],
    ['excludeTools', { tools: { allow: undefined, deny: ['x'] } }],
  ])('reads the tool list %s', (key, expected) => {
    expect(readOne(`{ "command": "a", "${key}": ["x"] }`)).toMatchObject({ entry: expected });
  });

  test.each([
    ['"startup_timeout_ms": 10', { startupTimeoutMs: 10 }],
    ['"startup_timeout_sec": 1.5', { startupTimeoutMs: 1500 }],
    ['"request_timeout_ms": 10.2', { requestTimeoutMs: 11 }],
    ['"tool_timeout_sec": 60', { requestTimeoutMs: 60_000 }],
    ['"timeout": 70', { requestTimeoutMs: 70 }],
    ['"timeout": 70, "tool_timeout_sec": 2, "request_timeout_ms": 3', { requestTimeoutMs: 3 }],
  ])('reads the timeout %s', (keys, expected) => {
    expect(readOne(`{ "command": "a", ${keys} }`)).toMatchObject({ entry: expected });
  });

  test('treats null as a missing key', () => {
    expect(readOne('{ "command": "a", "args": null, "env": null, "url": null, "enabled": null }')).toMatchObject({
      kind: 'on',
      transport: { kind: 'stdio', command: 'a', args: [], env: {} },
    });
  });

  test.each(['"enabled": false', '"disabled": true', '"enabled": true, "disabled": true'])(
    'treats %s as disabled',
    (key) => {
      expect(readOne(`{ "command": "a", ${key} }`)).toMatchObject({ kind: 'off', transport: { command: 'a' } });
      const content = { kind: 'off', transport: undefined, expandsVariables, sharesSignIn: false };
      expect(readOne(`{ ${key} }`)).toEqual(content);
    },
  );

  test('reads an HTTP server', () => {
    const json =
      '{ "type": "http", "url": "https://example.com/mcp", "headers": { "X-Key": "k" }, "env": { "A": "b" } }';
    expect(readOne(json)).toMatchObject({
      kind: 'on',
      transport: { kind: 'http', url: 'https://example.com/mcp', headers: { 'X-Key': 'k' }, oauth: undefined },
    });
  });

  test.each([
    ['headers', 'header_env'],
    ['http_headers', 'env_http_headers'],
  ])('reads the %s of an HTTP server, and the variables of %s and of the other keys', (headers, headerEnv) => {
    const json = {
      url: 'https://example.com/mcp',
      [headers]: { 'X-Key': 'k' },
      [headerEnv]: { 'X-Other': 'OTHER_KEY' },
      bearer_token_env_var: 'TOKEN',
      oauth: { client_secret_env: 'SECRET', scopes: ['a', 'b'] },
    };
    expect(readOne(JSON.stringify(json))).toMatchObject({
      transport: {
        headers: { 'X-Key': 'k' },
        headerEnv: { 'X-Other': 'OTHER_KEY' },
        bearerTokenEnv: 'TOKEN',
        oauth: { clientSecretEnv: 'SECRET', scope: 'a b' },
        isSse: false,
      },
    });
  });

  test.each(['url', 'serverUrl', 'httpUrl'])('reads the URL %s without a type', (key) => {
    expect(readOne(`{ "${key}": "http://localhost:1/mcp" }`)).toMatchObject({
      transport: { kind: 'http', url: 'http://localhost:1/mcp' },
    });
  });

  test.each([
    ['7', 'must be an object, but is a number.'],
    ['[]', 'must be an object, but is a list.'],
    ['{}', 'needs "command", the program to start, or "url".'],
    ['{ "command": "a", "url": "http://b" }', 'has both a command and a URL: set "type" to choose one.'],
    ['{ "type": "http", "command": "a" }', 'is of type "http" and needs "url".'],
    ['{ "type": "stdio", "url": "http://b" }', 'is of type "stdio" and needs "command".'],
  ])('reports for the entry %s that it %s', (json, message) => {
    const file = read(['good', '{ "command": "a" }'], ['fetch', json]);
    // A list element without a name and a command has nothing to be listed under.
    const isNameless = shape.dialect === 'list' && !json.startsWith('{');
    if (isNameless) expect(file.problems).toHaveLength(1);
    else
      expect(reasonOf(file, 'fetch')).toEqual({ line: firstLine + 1, message: `${shape.path('fetch', 1)} ${message}` });
    expect(file.entries[0]).toMatchObject({ id: 'good', content: { kind: 'on' } });
  });

  test.each([
    ['"command": 5', '.command must be a string, but is a number.'],
    ['"command": ["npx"]', '.command must be a string, but is a list.'],
    ['"command": " "', '.command may not be empty.'],
    ['"command": "a\\u0000"', '.command may not contain a NUL character.'],
    ['"command": "a", "args": "b"', '.args must be a list of strings, but is a string.'],
    ['"command": "a", "args": ["b", 3000]', '.args[1] must be a string, but is a number.'],
    ['"command": "a", "cwd": ""', '.cwd may not be empty.'],
    ['"command": "a", "env": ["A=b"]', '.env must be an object, but is a list.'],
    ['"command": "a", "env": { "PORT": 3000 }', '.env.PORT must be a string, but is a number.'],
    ['"command": "a", "env": { "A=B": "c" }', '.env["A=B"]: this is not a valid variable name.'],
    ['"command": "a", "env_vars": [null]', '.env_vars[0] must be a string, but is null.'],
    ['"command": "a", "inherit_env": "yes"', '.inherit_env must be true or false, but is a string.'],
    ['"command": "a", "enabled": "false"', '.enabled must be true or false, but is a string.'],
    ['"command": "a", "enabled_tools": true', '.enabled_tools must be a list of strings, but is true.'],
    ['"command": "a", "framing": "lsp"', '.framing must be one of "ndjson", "content-length".'],
    ['"command": "a", "start": 1', '.start must be one of "eager", "lazy", but is a number.'],
    ['"command": "a", "pin": "yes"', '.pin must be true or false, but is a string.'],
    ['"command": "a", "restart": "never"', '.restart must be one of "overlap", "stop-first".'],
    ['"command": "a", "restart": true', '.restart must be one of "overlap", "stop-first", but is true.'],
    ['"command": "a", "share": "all"', '.share must be one of "client", "folder", "user".'],
    ['"command": "a", "timeout": "60"', '.timeout must be a number of milliseconds, but is a string.'],
    ['"command": "a", "timeout": 0', '.timeout must be a number of milliseconds above 0 and below 25 days.'],
    ['"command": "a", "timeout": 1e400', '.timeout must be a number of milliseconds above 0 and below 25 days.'],
    [
      '"command": "a", "tool_timeout_sec": -1',
      '.tool_timeout_sec must be a number of seconds above 0 and below 25 days.',
    ],
    [
      '"command": "a", "startup_timeout_sec": 1e9',
      '.startup_timeout_sec must be a number of seconds above 0 and below 25 days.',
    ],
    ['"url": "http://x", "shareSignIn": "yes"', '.shareSignIn must be true or false, but is a string.'],
    ['"url": "ftp://x"', '.url must be a URL that begins with http:// or https://.'],
    ['"url": "http://127.0.0.1:99999/"', '.url is not a valid URL: check its host and port.'],
    ['"url": "example.com"', '.url must be a URL that begins with http:// or https://.'],
    ['"url": "http://x", "headers": { "a b": "c" }', '.headers["a b"]: this is not a valid header name.'],
    ['"url": "http://x", "headers": { "a": "c\\r\\nd: e" }', '.headers.a may not contain a line break.'],
    ['"url": "http://x", "header_env": { "a b": "C" }', '.header_env["a b"]: this is not a valid header name.'],
    ['"url": "http://x", "header_env": { "a": "B C" }', '.header_env.a must be the name of a variable, not a value.'],
    ['"url": "http://x", "header_env": { "a": "" }', '.header_env.a may not be empty.'],
    [
      '"url": "http://x", "bearer_token_env_var": "$X"',
      '.bearer_token_env_var must be the name of a variable, not a value.',
    ],
    ['"url": "http://x", "oauth": { "scopes": [1] }', '.oauth.scopes[0] must be a string, but is a number.'],
    ['"url": "http://x", "env": { "A": 1 }', '.env.A must be a string, but is a number.'],
    ['"url": "http://x", "oauth": "yes"', '.oauth must be an object, but is a string.'],
    ['"url": "http://x", "oauth": { "scope": 1 }', '.oauth.scope must be a string, but is a number.'],
  ])('reports the line and the key of %s', (keys, message) => {
    // On two lines, with the problem on the second.
    const file = read(['fetch', `{ "name": "fetch",\n ${keys} }`]);
    expect(reasonOf(file, 'fetch')).toEqual({ line: firstLine + 1, message: `${path}${message}` });
  });

  test('reports an error in one server and still reads the others', () => {
    const file = read(['a', '{ "command": "a" }'], ['bad', '{ "command": 1 }'], ['c', '{ "command": "c" }']);
    expect(file.entries.map(({ id, content }) => [id, content.kind])).toEqual([
      ['a', 'on'],
      ['bad', 'broken'],
      ['c', 'on'],
    ]);
  });

  verifies('config:id:duplicate', 'reports a duplicate name as an error with both lines', () => {
    const file = read(['twin', '{ "command": "a" }'], ['other', '{ "command": "b" }'], ['twin', '{ "command": "c" }']);
    expect(file.entries.map(({ id, content }) => [id, content.kind])).toEqual([
      ['twin', 'broken'],
      ['other', 'on'],
    ]);
    expect(reasonOf(file, 'twin')).toEqual({
      line: firstLine,
      message: `"twin" appears more than once, in lines ${firstLine} and ${firstLine + 2}: keep one, or give each its own name.`,
    });
  });

  verifies('config:dialect:foreign-names', 'leaves out a server with an unusable name, and reports its line', () => {
    for (const name of ['', '__proto__', 'constructor', 'prototype', '../x', 'a/b', 'a\\b', '..', 'a\nb', 'a\u0007b']) {
      const file = read(['good', '{ "command": "a" }'], [name, '{ "command": "b" }']);
      expect(file.entries.map(({ id }) => id)).toEqual(['good']);
      expect(file.problems).toEqual([
        { file: expect.any(String), line: firstLine + 1, message: expect.stringContaining(' is left out: ') },
      ]);
    }
  });

  test('keeps the order of the file, whatever the names', () => {
    const servers = ['z', '10', '2', 'a'].map((name) => [name, '{ "command": "x" }'] as const);
    expect(read(...servers).entries.map(({ id }) => id)).toEqual(['z', '10', '2', 'a']);
  });

  test('accepts a byte order mark and CRLF line endings, and still counts lines correctly', () => {
    const text = `\ufeff${shape.write([['fetch', '{ "name": "fetch",\n "command": 5 }']])}`.replaceAll('\n', '\r\n');
    expect(reasonOf(readText(newFolder(), text), 'fetch')).toMatchObject({ line: firstLine + 1 });
  });
});

describe('the dialect of a file', () => {
  const names = (text: string) => {
    const { dialect, entries, problems } = readText(newFolder(), text);
    return { dialect, ids: entries.map(({ id }) => id), problems: problems.map(({ message }) => message) };
  };

  verifies('config:dialect:mcp-servers-camel', 'servers under mcpServers', () => {
    expect(names('{"mcpServers":{"a":{"command":"x"}}}')).toEqual({ dialect: 'mcpServers', ids: ['a'], problems: [] });
  });
  verifies('config:dialect:mcp-servers-snake', 'servers under mcp_servers', () => {
    expect(names('{"mcp_servers":{"a":{"command":"x"}}}')).toEqual({
      dialect: 'mcp_servers',
      ids: ['a'],
      problems: [],
    });
  });
  verifies('config:dialect:servers', 'servers under servers', () => {
    expect(names('{"servers":{"a":{"command":"x"}}, "inputs": []}')).toEqual({
      dialect: 'servers',
      ids: ['a'],
      problems: [],
    });
  });
  verifies('config:dialect:list', 'an array of servers', () => {
    const text = '[{"name":"a","command":"x"},{"command":"y","name":"b"}]';
    expect(names(text)).toEqual({ dialect: 'list', ids: ['a', 'b'], problems: [] });
  });
  verifies('config:own:version', 'our own config', () => {
    expect(names('{"version":1,"mcp":{"servers":{"a":{"command":"x"}}}}')).toMatchObject({
      dialect: 'switchboard',
      ids: ['a'],
    });
  });

  verifies('config:dialect:list-unnamed', 'an unnamed server in an array takes the base name of its command', () => {
    const text =
      '[{"command":"/opt/bin/server.py"},{"command":"C:\\\\Tools\\\\b.exe"},{"command":"python3.11"},{"url":"https://mcp.example.com/x"}]';
    expect(names(text)).toEqual({
      dialect: 'list',
      ids: ['server', 'b', 'python3.11', 'mcp.example.com'],
      problems: [],
    });
  });

  test('unnamed servers in a list that would get the same name are both errors', () => {
    const file = readText(newFolder(), '[{"command":"npx","args":["a"]},\n{"command":"npx","args":["b"]}]');
    expect(reasonOf(file, 'npx')?.message).toContain('"npx" appears more than once, in lines 1 and 2');
  });

  test('a server in a list without name, command and URL is skipped', () => {
    expect(names('[\n{"args":[]}]')).toEqual({
      dialect: 'list',
      ids: [],
      problems: ['[0] is left out: a server needs "name" or "command".'],
    });
  });

  verifies('config:dialect:single', 'a single server takes the base name of its command', () => {
    expect(names('{"command":"/usr/bin/my-server","version":"2"}')).toEqual({
      dialect: 'single',
      ids: ['my-server'],
      problems: [],
    });
    expect(names('{"name":"mine","command":"npx"}').ids).toEqual(['mine']);
    expect(names('{"url":"https://example.com/mcp"}').ids).toEqual(['example.com']);
    const file = readText(newFolder(), '{ "command": "a",\n "args": 1 }');
    expect(reasonOf(file, 'a')).toEqual({ line: 2, message: 'args must be a list of strings, but is a number.' });
  });

  test('a file with two shapes is read as the first, with a warning about the other', () => {
    const text = '{"servers":{"a":{"command":"x"}},"mcpServers":{"b":{"command":"x"}}}';
    const problems = ['The servers under "servers" are not read, because the file also has "mcpServers".'];
    expect(names(text)).toEqual({ dialect: 'mcpServers', ids: ['b'], problems });
  });

  test('an empty object is a config without servers', () => {
    expect(names('{}')).toEqual({ dialect: 'mcpServers', ids: [], problems: [] });
    expect(names('{"mcpServers": null}')).toEqual({ dialect: 'mcpServers', ids: [], problems: [] });
  });

  test.each([
    ['{"mcpServers": []}', 'mcpServers must be an object, but is a list.'],
    ['{"mcpServers": {},\n"mcpServers": {}}', '"mcpServers" appears more than once, in lines 1 and 2: keep one.'],
    ['{"mcp": {"servers": 1}}', 'mcp.servers must be an object, but is a number.'],
    ['{"mcp": 1}', 'mcp must be an object, but is a number.'],
    ['{"hello": 1}', expect.stringContaining('No servers found: expected "mcpServers"')],
    ['"hello"', expect.stringContaining('No servers found: expected "mcpServers"')],
    ['null', expect.stringContaining('No servers found: expected "mcpServers"')],
  ])('%s is rejected as a whole', (text, message) => {
    expect(names(text)).toEqual({ dialect: '', ids: [], problems: [message] });
  });
});

describe('our own config is strict', () => {
  const read = (content: unknown) => readFile(newFolder(), content, 'global');
  const readEntry = (entry: unknown) => read({ version: 1, mcp: { servers: { x: entry } } });

  verifies('config:own:version', 'rejects a newer or unknown version, with its location', () => {
    const newer = 'This is version 2, but this Switchboard supports only 1. Update Switchboard.';
    expect(read('{\n "version": 2 }').problems).toEqual([{ file: expect.any(String), line: 2, message: newer }]);
    for (const version of ['1', 0, -1, 1.5, true, {}])
      expect(read({ version, mcp: {} }).problems).toMatchObject([{ message: 'version must be the number 1.' }]);
    expect(read({ mcp: { servers: { a: { command: 'x' } } } })).toMatchObject({ problems: [], entries: [{ id: 'a' }] });
    expect(read({ version: 1 })).toMatchObject({ problems: [], entries: [] });
  });

  test('servers under the key of another dialect are reported', () => {
    expect(read({ version: 1, mcpServers: {} }).problems).toMatchObject([
      { message: '"mcpServers" belongs in a .mcp.json. In this file, put servers under "mcp": { "servers": … }.' },
    ]);
    expect(read([]).problems).toMatchObject([{ message: 'The file must be an object, but is a list.' }]);
  });

  verifies('config:id:pattern', 'an id has 1 to 64 letters, digits, _ or -', () => {
    const good = ['a', 'A-b_9', 'x'.repeat(64)];
    const bad = ['', 'a b', 'ä', 'a.b', 'x'.repeat(65), 'a\n', '__proto__'];
    const entry = '{ "command": "x" }';
    const members = [...good, ...bad].map((id) => `${JSON.stringify(id)}: ${entry}`);
    const file = read(`{ "version": 1, "mcp": { "servers": {\n${members.join(',\n')} } } }`);
    expect(file.entries.map(({ id }) => id)).toEqual(good);
    expect(file.problems.map(({ line }) => line)).toEqual(bad.map((_, index) => index + 5));
  });

  verifies(
    ['config:own:stdio', 'config:own:http', 'config:own:transport'],
    'a transport is stdio or http, and has its required keys',
    () => {
      const reason = (entry: unknown) => reasonOf(readEntry(entry), 'x')?.message;
      expect(reason({ transport: 'stdio' })).toBe('mcp.servers.x is of type "stdio" and needs "command".');
      expect(reason({ transport: 'http' })).toBe('mcp.servers.x is of type "http" and needs "url".');
      for (const transport of ['sse', 'local', 'STDIO', '', 'toString'])
        expect(reason({ transport, command: 'a', url: 'http://b' })).toBe(
          'mcp.servers.x.transport must be one of "stdio", "http".',
        );
      expect(
        readEntry({ transport: 'stdio', command: 'a', args: ['b'], cwd: '/c', env: { D: 'e' } }).entries,
      ).toMatchObject([
        { content: { kind: 'on', transport: { command: 'a', args: ['b'], cwd: '/c', env: { D: 'e' } } } },
      ]);
      expect(readEntry({ transport: 'http', url: 'https://a/b' }).entries).toMatchObject([
        { content: { kind: 'on', transport: { kind: 'http', url: 'https://a/b' } } },
      ]);
    },
  );

  verifies('config:own:env-anywhere', 'env is allowed with both transports', () => {
    const env = { A: 'b' };
    for (const entry of [
      { transport: 'http', url: 'https://a/b', env },
      { transport: 'stdio', command: 'a', env },
    ])
      expect(readEntry(entry)).toMatchObject({ problems: [], entries: [{ content: { kind: 'on' } }] });
  });

  verifies('config:own:enabled-default', 'an entry without enabled is enabled', () => {
    expect(readEntry({ command: 'a' }).entries).toMatchObject([{ content: { kind: 'on' } }]);
  });

  verifies('config:own:oauth', 'oauth accepts each of its keys, or none', () => {
    const oauth = {
      ...{
        authorization_url: 'https://a/authorize',
        token_url: 'https://a/token',
        registration_url: 'https://a/register',
      },
      ...{ client_id: 'id', client_secret: 'secret', client_secret_env: 'SECRET', scope: 'mcp' },
    };
    const decoded = {
      ...{
        authorizationUrl: 'https://a/authorize',
        tokenUrl: 'https://a/token',
        registrationUrl: 'https://a/register',
      },
      ...{ clientId: 'id', clientSecret: 'secret', clientSecretEnv: 'SECRET', scope: 'mcp' },
    };
    const nothing = Object.fromEntries(Object.keys(decoded).map((key) => [key, undefined]));
    const decode = (value: unknown) => readEntry({ url: 'https://a/b', oauth: value }).entries[0]?.content;
    expect(decode(oauth)).toMatchObject({ transport: { oauth: decoded } });
    expect(decode({})).toMatchObject({ transport: { oauth: nothing } });
    for (const [index, key] of Object.keys(oauth).entries()) {
      const name = Object.keys(decoded)[index] ?? '';
      const only = { ...nothing, [name]: Object.values(decoded)[index] };
      expect(decode({ [key]: Object.values(oauth)[index] })).toMatchObject({ transport: { oauth: only } });
    }
  });
});

describe('comments and trailing commas', () => {
  const text =
    '{ // one\n/* two\nthree */ "mcp": { "servers": {\n"a": { "command": "x", }, // "b": {},\n"c": { "command": "x", "args": 7 } } } }';

  test('are allowed in our own config, and line numbers stay correct', () => {
    const file = readFile(newFolder(), text, 'global');
    expect(file.problems).toEqual([]);
    expect(file.entries.map(({ id, origin }) => [id, origin.line])).toEqual([
      ['a', 4],
      ['c', 5],
    ]);
    expect(reasonOf(file, 'c')).toEqual({
      line: 5,
      message: 'mcp.servers.c.args must be a list of strings, but is a number.',
    });
  });

  test.each([
    ['{\n  /* no end', 2, 'Not JSON at column 3: the comment that begins here is not closed.'],
    ['// nothing', 1, 'The file is empty: put servers in it, or remove it.'],
    ['{ // x\n "a": [,] }', 2, 'Not JSON at column 8: expected a value.'],
    ['{ // x\n "a": 1 "b" }', 2, 'Not JSON at column 9: a comma or } is missing before this.'],
  ])('do not hide errors: %j', (content, line, message) => {
    expect(readFile(newFolder(), content, 'global').problems).toEqual([{ file: expect.any(String), line, message }]);
  });

  test('are errors in all other files', () => {
    expect(readFile(newFolder(), text, 'codex').problems).toMatchObject([
      { line: 1, message: 'Not JSON at column 3: comments are not allowed in JSON.' },
    ]);
  });
});

describe('a file that is not valid JSON', () => {
  test.each([
    ['', 1, 'The file is empty: put servers in it, or remove it.'],
    [' \n\t\n', 1, 'The file is empty: put servers in it, or remove it.'],
    ['\ufeff', 1, 'The file is empty: put servers in it, or remove it.'],
    ['{\n  "a": 1,\n}', 3, 'Not JSON at column 1: there must be no comma before this }.'],
    ['{\r\n  "ü": 1 "b": 2\r\n}', 2, 'Not JSON at column 10: a comma or } is missing before this.'],
    ['{\n  // servers\n  "a": 1\n}', 2, 'Not JSON at column 3: comments are not allowed in JSON.'],
    ['{\n "a": {', 2, 'Not JSON at column 8: the file ends too early: it needs } for the { that is still open.'],
    [Buffer.from('{"a": "\xff"}', 'latin1'), 1, 'The file is not valid UTF-8: save it again as UTF-8.'],
    [Buffer.from('\ufeff{}', 'utf16le'), 1, 'The file is UTF-16 and must be UTF-8: save it again as UTF-8.'],
  ])('%j: line %i', (content, line, message) => {
    expect(readFile(newFolder(), content, 'explicit').problems).toEqual([{ file: expect.any(String), line, message }]);
  });

  test('deeply nested brackets break only their own entry', () => {
    const deep = `{"mcpServers":{"a":{"command":"x"},"b":${'['.repeat(200_000)}${']'.repeat(200_000)}}}`;
    const file = readText(newFolder(), deep);
    expect(file.entries.map(({ content }) => content.kind)).toEqual(['on', 'broken']);
  });

  test('a file with more servers than the limit is rejected as a whole', () => {
    const text = `{"mcpServers":{${Array.from({ length: 50_000 }, (_, index) => `"a${index}":{}`).join(',\n')}}}`;
    expect(readText(newFolder(), text)).toMatchObject({
      entries: [],
      problems: [{ line: 1, message: 'The file has 50000 servers, but the limit is 1000: remove some.' }],
    });
  });

  test('a name that is repeated many times is one error', () => {
    const text = `{"mcpServers":{${Array.from({ length: 900 }, () => '"a":{}').join(',\n')}}}`;
    expect(reasonOf(readText(newFolder(), text), 'a')?.message).toContain(
      'in lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and more',
    );
  });
});

function lines(servers: readonly (readonly [string, string])[]): string {
  return servers.map(([name, json]) => `${JSON.stringify(name)}: ${json}`).join(',\n');
}

/** In a list, the entry contains its name. A second name would be redundant. */
function named(name: string, json: string): string {
  if (json.includes('"name"') || !json.startsWith('{')) return json;
  return json === '{}'
    ? `{ "name": ${JSON.stringify(name)} }`
    : json.replace('{', `{ "name": ${JSON.stringify(name)},`);
}

function readText(folder: Folder, text: string): ConfigFile {
  return readFile(folder, text, 'explicit');
}

function readFile(folder: Folder, content: unknown, layer: Exclude<Layer, 'command-line'>): ConfigFile {
  const file = folder.write('servers.json', content);
  const isOwn = layer === 'global';
  const found = readConfigFile({ layer, file, isSwitchboardFile: isOwn, needsTrust: false, namedBy: undefined });
  if (found === undefined) throw new Error('the file was not found');
  return found;
}

function reasonOf(file: ConfigFile, id: string): { line: number; message: string } | undefined {
  const content = file.entries.find((entry) => entry.id === id)?.content;
  if (content?.kind !== 'broken') return undefined;
  const { line, message } = content.problem;
  return { line, message };
}
