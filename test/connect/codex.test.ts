import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'smol-toml';
import { describe, expect, test } from 'vitest';
import { findCodex } from '../codex/codex-binary.ts';
import { GLOBAL, ownConfig, type Testbed, useTestbeds } from '../mcp/testbed.ts';
import { trackProcesses } from '../processes.ts';
import { at, recordImport } from './client-contract.ts';

const newTestbed = useTestbeds(trackProcesses());
const FILE = '.codex/config.toml';
const TEXT = `# My Codex
model = "gpt-5.5"
notify = [
  "sh",
  "-c", # [mcp_servers.not_a_table]
]

[mcp_servers.files] # local files
command = "npx"
args = ["-y", "server-files"]

[mcp_servers.files.env]
API_KEY = "a-secret-value"

# The last one
[mcp_servers.web]
url = "https://example.com/mcp"
enabled = true # for now

[projects."/home/me/work"]
trust_level = "trusted"`;

/** Without Codex, or with the real one. */
const programs = {
  'no Codex': '/nowhere/codex',
  'the real Codex': findCodex('current').command,
} as const;

function open(text = TEXT): Testbed {
  const testbed = newTestbed();
  testbed.write(FILE, text);
  return testbed;
}

describe.each(Object.entries(programs))('with %s', (name, program) => {
  // A path that does not exist is a mistake of the user's, unlike a missing program.
  const env = name === 'no Codex' ? { PATH: join('/usr', 'bin') } : { CODEX_CLI_PATH: program };
  const run = (testbed: Testbed, ...args: readonly string[]) => testbed.run(args, { env });

  test('adds a required server with the variables that servers need, and restores every byte', async () => {
    const testbed = open();
    testbed.write(
      GLOBAL,
      ownConfig({ api: { transport: 'http', url: 'https://example.com', bearer_token_env_var: 'API_TOKEN' } }),
    );
    const { status, stdout, stderr } = await run(testbed, 'connect', 'codex', '--yes');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).not.toContain('a-secret-value');
    const added = `

[mcp_servers.switchboard]
command = "${testbed.path('own/bin/switchboard')}"
args = ["gateway", "--client", "codex"]
required = true
env_vars = ["API_TOKEN", "SWITCHBOARD_HOME"]
`;
    expect(testbed.read(FILE)).toBe(`${TEXT}${added}`);
    expect((await run(testbed, 'connect', 'codex', '--yes')).stdout).toContain('is already connected');
    expect(testbed.read(FILE)).toBe(`${TEXT}${added}`);
    expect(await run(testbed, 'disconnect', '--yes')).toMatchObject({ status: 0, stderr: '' });
    expect(testbed.read(FILE)).toBe(TEXT);
  });
});

describe('without Codex', () => {
  const env = { PATH: join('/usr', 'bin') };

  test('turns imported servers off by their own switch, and keeps later edits', async () => {
    const testbed = open();
    recordImport(testbed, 'codex');
    await testbed.run(['connect', 'codex', '--yes'], { env });
    expect(testbed.read(FILE)).toContain('[mcp_servers.files] # local files\nenabled = false\ncommand = "npx"\n');
    writeFileSync(testbed.path(FILE), `${testbed.read(FILE)}\n# Mine\n[mcp_servers.later]\ncommand = "true"\n`);
    await testbed.run(['disconnect', 'codex', '--yes'], { env });
    expect(testbed.read(FILE)).toBe(`${TEXT}\n\n# Mine\n[mcp_servers.later]\ncommand = "true"\n`);
  });

  test('keeps a server off that the user turned off', async () => {
    const text = TEXT.replace('[mcp_servers.files] # local files\n', '$&enabled = false\n');
    const testbed = open(text);
    recordImport(testbed, 'codex');
    await testbed.run(['connect', 'codex', '--yes'], { env });
    writeFileSync(testbed.path(FILE), `${testbed.read(FILE)}# later\n`);
    await testbed.run(['disconnect', 'codex', '--yes'], { env });
    expect(at(parse(testbed.read(FILE)), ['mcp_servers', 'files', 'enabled'])).toBe(false);
  });

  test('creates a missing file and removes it again', async () => {
    const testbed = newTestbed();
    await testbed.run(['connect', 'codex', '--yes'], { env });
    expect(at(parse(testbed.read(FILE)), ['mcp_servers', 'switchboard', 'required'])).toBe(true);
    await testbed.run(['disconnect', 'codex', '--yes'], { env });
    expect(testbed.exists('.codex')).toBe(false);
  });

  test.each([
    ['is broken', 'model = "x"\n[mcp_servers.a\n', /config\.toml:2: Not TOML/],
    [
      'has its servers in one inline table',
      'mcp_servers = { a = { command = "x" } }\n',
      /cannot be changed without changing other parts/,
    ],
  ])('writes nothing if the file %s', async (_, text, message) => {
    const testbed = open(text);
    const { status, stderr } = await testbed.run(['connect', 'codex', '--yes'], { env });
    expect(status).toBe(7);
    expect(stderr).toMatch(message);
    expect(testbed.read(FILE)).toBe(text);
  });

  test('explains that Codex cannot use itself as tools', async () => {
    const { status, stderr } = await open().run(['connect', 'codex', '--codex', '--yes'], { env });
    expect([status, stderr]).toEqual([2, expect.stringContaining('Codex cannot use itself as tools')]);
  });

  test('finds its entry again when the record was deleted', async () => {
    const testbed = open();
    await testbed.run(['connect', 'codex', '--yes'], { env });
    rmSync(testbed.path('own'), { recursive: true });
    await testbed.run(['disconnect', '--yes'], { env });
    expect(testbed.read(FILE)).toBe(`${TEXT}\n`);
  });
});
