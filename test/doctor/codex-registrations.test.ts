import { describe, expect, test } from 'vitest';
import { at } from '../connect/client-contract.ts';
import { useTestbeds } from '../mcp/testbed.ts';
import { trackProcesses } from '../processes.ts';
import { prepareHome, runDoctor } from './doctor-home.ts';

const newTestbed = useTestbeds(trackProcesses());

/** Each client with its file, the path of its servers, and how it writes a command. */
const CLIENTS = [
  ['claude', '.claude.json', ['mcpServers'], { type: 'stdio', command: 'codex', args: ['mcp-server'] }],
  [
    'claude-desktop',
    '.config/Claude/claude_desktop_config.json',
    ['mcpServers'],
    { command: 'codex', args: ['mcp-server'] },
  ],
  ['cursor', '.cursor/mcp.json', ['mcpServers'], { command: 'npx', args: ['-y', '@openai/codex', 'mcp-server'] }],
  [
    'vscode',
    '.config/Code/User/mcp.json',
    ['servers'],
    { type: 'stdio', command: '/usr/bin/codex', args: ['mcp-server'] },
  ],
  ['gemini', '.gemini/settings.json', ['mcpServers'], { command: 'codex', args: ['mcp'] }],
  ['windsurf', '.codeium/windsurf/mcp_config.json', ['mcpServers'], { command: 'codex', args: ['mcp-server'] }],
  [
    'zed',
    '.config/zed/settings.json',
    ['context_servers'],
    { source: 'custom', command: 'codex', args: ['mcp-server'], env: { A: '1' } },
  ],
  ['opencode', '.config/opencode/opencode.json', ['mcp'], { type: 'local', command: ['codex', 'mcp-server'] }],
  [
    'copilot',
    '.copilot/mcp-config.json',
    ['mcpServers'],
    { type: 'local', command: 'codex', args: ['mcp-server'], tools: ['*'] },
  ],
] as const;

describe('a registration of the removed codex mcp-server', () => {
  test.each(CLIENTS)('in %s is replaced by --fix, and disconnect restores it', async (client, file, path, entry) => {
    const testbed = newTestbed();
    prepareHome(testbed);
    const before = `${JSON.stringify(nest(path, { helper: entry, other: { command: 'true' } }), null, 2)}\n`;
    testbed.write(file, before);
    const found = await runDoctor(testbed);
    expect(found.problems).toMatchObject([
      { check: 'client.codex-mcp-server', state: 'failure', fix: 'switchboard doctor --fix', fixable: true },
    ]);
    expect(testbed.read(file)).toBe(before);

    const fixed = await runDoctor(testbed, { args: ['--fix'] });
    expect(fixed).toMatchObject({ status: 0, problems: [] });
    expect(fixed.findings).toContainEqual(
      expect.objectContaining({ check: 'client.codex-mcp-server', state: 'ok', fixed: true }),
    );
    const written = at(testbed.json(file), [...path, 'helper']);
    const words = [at(written, ['command']), at(written, ['args']) ?? []].flat();
    expect(words).toEqual([testbed.path('own/bin/switchboard'), 'codex', 'mcp-server']);
    const { command: _, args: __, ...kept } = Object.fromEntries(Object.entries(entry));
    expect(written).toMatchObject(kept);
    expect(at(testbed.json(file), [...path, 'other'])).toEqual({ command: 'true' });

    expect(await testbed.run(['disconnect', client, '--yes'])).toMatchObject({ status: 0 });
    expect(testbed.read(file)).toBe(before);
  });

  test('in Codex itself is replaced, too', async () => {
    const testbed = newTestbed();
    prepareHome(testbed);
    const before = '# mine\n[mcp_servers.helper]\ncommand = "codex"\nargs = ["mcp-server"]\nstartup_timeout_sec = 20\n';
    testbed.write('.codex/config.toml', before);
    const { problems } = await runDoctor(testbed, { args: ['--fix'] });
    expect(problems).toEqual([]);
    const after = testbed.read('.codex/config.toml');
    expect(after).toContain('args = [');
    expect(after).toContain('"codex", "mcp-server"');
    expect(after).toContain('startup_timeout_sec = 20');
    await testbed.run(['disconnect', 'codex', '--yes']);
    expect(testbed.read('.codex/config.toml')).toBe(before);
  });

  test('with options that the drop-in does not have is left to the user', async () => {
    const testbed = newTestbed();
    prepareHome(testbed);
    const entry = { command: 'codex', args: ['-c', 'model="x"', 'mcp-server'] };
    const file = testbed.write('.cursor/mcp.json', { mcpServers: { helper: entry } });
    const { problems } = await runDoctor(testbed, { args: ['--fix'] });
    expect(problems).toMatchObject([{ state: 'failure', fixable: false, advice: expect.stringContaining(file) }]);
    expect(testbed.json('.cursor/mcp.json')).toEqual({ mcpServers: { helper: entry } });
  });
});

/** Nests a value below a path. */
function nest(path: readonly string[], value: unknown): unknown {
  return path.reduceRight((inner, key) => ({ [key]: inner }), value);
}
