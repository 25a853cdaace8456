import { chmodSync } from 'node:fs';
import { expect } from 'vitest';
import { useTestbeds as useSignIns } from '../auth/login-harness.ts';
import { useTestbeds } from '../mcp/testbed.ts';
import { isAlive, trackProcesses } from '../processes.ts';
import { verifies } from '../verifies.ts';
import { runDoctor, typeCommand } from './doctor-home.ts';
import { breakHome, SHELL_VARIABLES } from './faulty-home.ts';

const processes = trackProcesses();
const newTestbed = useTestbeds(processes);
const newSignIn = useSignIns();

const AGAIN_MS = 300_000;

verifies(
  'doctor:fixes:work',
  'each of twenty-one findings is named, and each fix works when typed as printed',
  async () => {
    const testbed = newTestbed();
    const { server } = await newSignIn();
    const orphan = await breakHome({ testbed, processes, protectedUrl: server.url });
    const browser = testbed.write(
      'bin/browser',
      '#!/usr/bin/env node\nfetch(process.argv[2]).then((page) => page.text())\n',
    );
    chmodSync(browser, 0o755);
    const env = { ...SHELL_VARIABLES, BROWSER: browser };

    const before = await runDoctor(testbed, { args: ['--timeout', '8'], env });
    const named = before.findings.flatMap(({ check, title, fix }) => (fix === undefined ? [] : [[check, title, fix]]));
    const launcher = testbed.path('own/bin/switchboard');
    const own = (name: string) => testbed.path(`own/${name}`);
    expect(named).toEqual([
      [
        'config.trust',
        '1 server is not trusted, so Switchboard does not start it: shy',
        `switchboard trust ${testbed.path('project')}`,
      ],
      ['server.start', expect.stringContaining('gone: Spawn error'), 'switchboard disable gone --scope global'],
      [
        'server.initialize',
        expect.stringContaining('dead: it ended with exit code'),
        'switchboard disable dead --scope global',
      ],
      ['server.initialize', 'slow: No answer within 8 s', 'switchboard doctor slow --timeout 60'],
      ['server.sign-in', 'private: sign-in needed', 'switchboard mcp login private'],
      ['server.variable', 'needy needs NEEDED_TOKEN, which is not set', 'switchboard secret set NEEDED_TOKEN'],
      ['client.connected', expect.stringMatching(/^Gemini CLI is no longer connected/), 'switchboard connect gemini'],
      [
        'client.connected',
        'GitHub Copilot CLI starts /gone/switchboard, which does not exist',
        'switchboard connect copilot',
      ],
      ['client.connected', 'Not connected: Codex, Claude Code, Zed', 'switchboard connect codex claude zed'],
      ['client.launcher', expect.stringContaining('the launcher does not work'), 'switchboard connect cursor'],
      [
        'client.duplicates',
        'Windsurf lists a server twice, directly and through Switchboard: files',
        'switchboard connect windsurf',
      ],
      [
        ...['client.variable', 'Cursor may not pass on CLIENT_TOKEN, which is set in this shell'],
        'printenv CLIENT_TOKEN | switchboard secret set CLIENT_TOKEN',
      ],
      ['client.codex-mcp-server', 'Claude Code starts codex mcp-server as agent, which Codex has removed', FIX],
      ['client.new-servers', 'Not imported yet: fresh (Zed)', 'switchboard import --new'],
      ['leftovers.sockets', '1 socket left by killed processes', FIX],
      ['leftovers.locks', '1 lock left by killed processes', FIX],
      ['leftovers.temporary', '1 half-written file left by killed processes', FIX],
      ['leftovers.process', `Process ${orphan} outlived the Switchboard that started it`, `kill ${orphan}`],
      ['files.permissions', 'Other users can read ~/own/secrets.json (644)', `chmod 600 ${own('secrets.json')}`],
      ['files.permissions', 'Other users can read ~/own (755)', `chmod 700 ${own('').slice(0, -1)}`],
      ['files.permissions', expect.stringMatching(/^Other users can change/), `chmod go-w ${own('config.json')}`],
    ]);
    expect(testbed.exists('own/bin/switchboard')).toBe(false);

    const commands = [...new Set(named.map(([, , fix]) => String(fix)))].filter((fix) => fix !== FIX);
    const failed: string[] = [];
    for (const command of [...commands, FIX]) {
      const { status, shown } = await typeCommand(command, { testbed, processes, env, secret: 'typed-secret' });
      // Other servers may still be slow for the default timeout.
      if (status !== 0 && command !== FIX) failed.push(`${command}: ${status}\n${shown}`);
    }
    expect(failed).toEqual([]);

    // Zed was connected before its server was imported.
    await testbed.run(['connect', 'zed', '--yes']);
    const after = await runDoctor(testbed, { args: ['--timeout', '30'], env });
    expect(after.problems).toEqual([]);
    expect(after.findings.filter(({ check }) => check === 'client.new-servers')).toEqual([]);
    expect(after.status).toBe(0);
    expect([isAlive(orphan), testbed.read('.claude.json').includes(launcher)]).toEqual([false, true]);
  },
  AGAIN_MS,
);

const FIX = 'switchboard doctor --fix';
