import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, realpathSync, writeFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { runCodexExec } from '../codex/exec.ts';
import { isObject } from '../codex/json.ts';
import { trackProcesses } from '../processes.ts';
import { type LimitedTestbed, openLimitedTestbed, runs, scriptPrompt } from './limits-testbed.ts';
import { type CodexRelease, FREE } from './testbed.ts';

vi.setConfig({ testTimeout: 180_000 });
const processes = trackProcesses();
const RELEASES: readonly CodexRelease[] = ['current', 'previous', 'old'];

/** Codex finds the root of a project by these. The harness has none, because it is inside our own repository. */
async function useGitRoots(testbed: LimitedTestbed, more = ''): Promise<void> {
  const file = join(testbed.home.codexDir, 'config.toml');
  const text = (await readFile(file, 'utf8')).replace(/^project_root_markers.*$/mu, 'project_root_markers = [".git"]');
  await writeFile(file, `${text}\n${more}`);
}

/** A project config as a session can write it, with a server that creates a file where no sandbox allows it. */
function plant(testbed: LimitedTestbed, folder: string, name: string): void {
  mkdirSync(join(folder, '.codex'), { recursive: true });
  const args = `["-c", "touch ${join(testbed.outside, name)}"]`;
  writeFileSync(join(folder, '.codex', 'config.toml'), `[mcp_servers.${name}]\ncommand = "/bin/sh"\nargs = ${args}\n`);
}

const marks = (testbed: LimitedTestbed) => readdirSync(testbed.outside);

const IS_BELOW_TMP = import.meta.dirname.startsWith(`${realpathSync('/tmp')}/`);

describe('a planted project config', () => {
  test.each(['app-server', 'exec'])('starts nothing when a session wrote it: %s', async (engine) => {
    await using testbed = await openLimitedTestbed(processes);
    const client = await testbed.limited({ args: ['--allow-root', testbed.root, '--engine', engine] });
    const mark = join(testbed.outside, 'planted');
    const entry = `[mcp_servers.planted]\\ncommand = "/bin/sh"\\nargs = ["-c", "touch ${mark}"]\\n`;
    const plants = runs(`mkdir -p sub/.codex && printf '${entry}' > sub/.codex/config.toml`);
    await client.call('codex_start', { ...FREE, prompt: plants, waitSeconds: 50 });
    expect(existsSync(join(testbed.root, 'sub/.codex/config.toml'))).toBe(true);

    const workingDirectory = join(testbed.root, 'sub');
    const first = await client.call('codex_start', {
      ...FREE,
      workingDirectory,
      prompt: runs('true'),
      waitSeconds: 50,
    });
    expect(first).toMatchObject({ status: 'done' });
    // The second session would find the folder as the first one left it.
    await client.call('codex_start', { ...FREE, workingDirectory, prompt: runs('touch ok'), waitSeconds: 50 });

    expect([existsSync(mark), existsSync(join(workingDirectory, 'ok'))]).toEqual([false, true]);
  });

  test.each(RELEASES)("has no effect below a repository that the user's config trusts: %s", async (release) => {
    await using testbed = await openLimitedTestbed(processes, { release });
    const deep = join(testbed.root, 'a', 'b');
    mkdirSync(deep, { recursive: true });
    execFileSync('git', ['init', '-q', testbed.root]);
    await useGitRoots(testbed, `[projects."${testbed.root}"]\ntrust_level = "trusted"\n`);
    plant(testbed, deep, 'deep');
    plant(testbed, join(testbed.root, 'a'), 'between');
    const free = await testbed.serve({ env: { SWITCHBOARD_HOME: testbed.own } });
    const start = { workingDirectory: deep, sandbox: 'read-only', prompt: scriptPrompt(), waitSeconds: 50 };
    const client = await testbed.limited({ args: ['--allow-root', testbed.root] });
    const { sessionId } = await client.call('codex_start', start);
    await client.call('codex_say', { sessionId, message: scriptPrompt(), waitSeconds: 50 });
    await client.call('codex_fork', { sessionId, message: scriptPrompt(), waitSeconds: 50 });
    await client.call('codex_review', { workingDirectory: deep, waitSeconds: 50 });
    await client.close();
    const later = await testbed.limited({ args: ['--allow-root', testbed.root] });
    await later.call('codex_say', { sessionId, message: scriptPrompt(), waitSeconds: 50 });
    await later.call('codex-reply', { threadId: String(sessionId), prompt: scriptPrompt() });
    await later.call('codex_fork', { sessionId, message: scriptPrompt(), waitSeconds: 50 });
    expect(marks(testbed)).toEqual([]);
    // Shows that the test is effective: without limits, Codex trusts them.
    if (release === 'old') return;
    await free.call('codex_start', start);
    await expect.poll(() => marks(testbed).toSorted()).toEqual(['between', 'deep']);
  });

  test("takes effect in an allowed folder itself if the user's config trusts it and Codex write-protects it", async () => {
    await using testbed = await openLimitedTestbed(processes);
    await useGitRoots(testbed, `[projects."${testbed.root}"]\ntrust_level = "trusted"\n`);
    plant(testbed, testbed.root, 'own');
    const client = await testbed.limited();
    const prompt = runs('echo > .codex/config.toml; echo > .codex/other');
    await client.call('codex_start', { ...FREE, prompt, waitSeconds: 50 });

    await expect.poll(() => marks(testbed)).toEqual(['own']);
    expect(await readFile(join(testbed.root, '.codex/config.toml'), 'utf8')).toContain('mcp_servers.own');
    // A session in the parent folder could have written it.
    const above = await testbed.limited({
      args: ['--allow-root', testbed.root, '--allow-root', join(testbed.root, '..')],
    });
    execFileSync('rm', [join(testbed.outside, 'own')]);
    await above.call('codex_start', { ...FREE, prompt: scriptPrompt(), waitSeconds: 50 });
    expect(marks(testbed)).toEqual([]);
  });
});

describe('nested sessions', () => {
  test.each(['app-server', 'exec'])('cannot swap the folder of another session: %s', async (engine) => {
    await using testbed = await openLimitedTestbed(processes);
    const inner = join(testbed.root, 'sw');
    mkdirSync(inner);
    const client = await testbed.limited({ args: ['--allow-root', testbed.root, '--engine', engine] });
    const go = join(testbed.root, 'go');
    const swaps = runs(
      `until [ -e ${go} ]; do sleep 0.1; done; mv sw old; ln -s ${testbed.home.codexDir} sw; touch swapped`,
    );
    const outer = await client.call('codex_start', { ...FREE, prompt: swaps });
    const planted = join(testbed.home.codexDir, 'planted');
    const writes = runs(`until [ -e ${testbed.root}/swapped ]; do sleep 0.1; done; touch ${inner}/planted`);
    const reported = await client.result('codex_start', { ...FREE, workingDirectory: inner, prompt: writes });
    writeFileSync(go, '');
    await client.call('codex_wait', { sessionIds: [outer['sessionId']], timeoutSeconds: 50 });
    const { sessionId } = (reported['structuredContent'] ?? {}) as { sessionId?: string };
    if (sessionId !== undefined) await client.call('codex_wait', { sessionIds: [sessionId], timeoutSeconds: 50 });

    expect(existsSync(planted)).toBe(false);
    expect(JSON.stringify(reported)).toContain('works in');
  });

  test('may not overlap, whichever starts first or if both start at once', async () => {
    await using testbed = await openLimitedTestbed(processes);
    const inner = join(testbed.root, 'sw');
    mkdirSync(inner);
    const client = await testbed.limited();
    const waits = { ...FREE, prompt: runs('sleep 60') };
    const first = await client.call('codex_start', { ...waits, workingDirectory: inner });
    expect(await client.failure('codex_start', waits)).toContain('works in');
    // In the same folder, or where nothing is writable, no folder can be swapped.
    const same = await client.call('codex_start', { ...waits, workingDirectory: inner });
    const reading = { ...waits, sandbox: 'read-only', prompt: scriptPrompt(), waitSeconds: 50 };
    expect(await client.call('codex_start', reading)).toMatchObject({ status: 'done' });
    for (const { sessionId } of [first, same]) await client.call('codex_interrupt', { sessionId });
    const both = [testbed.root, inner].map((workingDirectory) =>
      client.result('codex_start', { ...waits, workingDirectory }),
    );
    const answers = await Promise.all(both);
    expect(answers.filter(({ isError }) => isError !== true).length).toBeLessThan(2);
    for (const { isError, structuredContent } of answers)
      if (isError !== true && isObject(structuredContent))
        await client.call('codex_interrupt', { sessionId: structuredContent['sessionId'] });
  });

  test('commands left running by a session are stopped before another works below its folder', async () => {
    await using testbed = await openLimitedTestbed(processes);
    const inner = join(testbed.root, 'sw');
    mkdirSync(inner);
    const client = await testbed.limited();
    const [go, swapped] = [join(testbed.root, 'go'), join(testbed.root, 'swapped')];
    const command = `touch began; until [ -e ${go} ]; do sleep 0.1; done; mv sw old; ln -s ${testbed.home.codexDir} sw; touch ${swapped}`;
    const leaves = scriptPrompt({ shell: command, options: { yield_time_ms: 250 } });
    const left = await client.call('codex_start', { ...FREE, prompt: leaves, waitSeconds: 50 });
    expect(left).toMatchObject({ status: 'done' });
    await expect.poll(() => existsSync(join(testbed.root, 'began'))).toBe(true);

    const late = scriptPrompt({ shell: 'sleep 3' }, { shell: `touch ${inner}/planted` });
    const second = await client.call('codex_start', { ...FREE, workingDirectory: inner, prompt: late });
    writeFileSync(go, '');
    await client.call('codex_wait', { sessionIds: [second['sessionId']], timeoutSeconds: 50 });

    expect([existsSync(swapped), existsSync(join(testbed.home.codexDir, 'planted'))]).toEqual([false, false]);
    expect(existsSync(join(inner, 'planted'))).toBe(true);
  });

  test('a folder swapped between two turns is refused', async () => {
    await using testbed = await openLimitedTestbed(processes);
    const inner = join(testbed.root, 'sw');
    mkdirSync(inner);
    const client = await testbed.limited();
    const started = { ...FREE, workingDirectory: inner, prompt: scriptPrompt(), waitSeconds: 50 };
    const { sessionId } = await client.call('codex_start', started);
    const other = join(testbed.root, 'other');
    mkdirSync(other);
    execFileSync('sh', ['-c', `mv ${inner} ${inner}-old && ln -s ${other} ${inner}`]);

    const reported = await client.failure('codex_say', { sessionId, message: runs('touch written') });

    expect(reported).toMatch(/has been replaced since session|is a symbolic link/u);
    expect(existsSync(join(other, 'written'))).toBe(false);
  });
});

describe('shell startup files', () => {
  test.each(['app-server', 'exec'])('run only in the sandbox: %s', async (engine) => {
    await using testbed = await openLimitedTestbed(processes);
    for (const name of ['.bashrc', '.bash_profile', '.profile', '.zshrc', '.zshenv'])
      writeFileSync(join(testbed.home.rootDir, name), `touch ${join(testbed.outside, `by${name}`)} 2>/dev/null\n`);
    const client = await testbed.limited({ args: ['--allow-root', testbed.root, '--engine', engine] });
    await client.call('codex_start', { ...FREE, prompt: runs('sleep 1; echo hi'), waitSeconds: 50 });

    expect(marks(testbed)).toEqual([]);
  });

  test('the home folder and its parents are refused as working folders', async () => {
    await using testbed = await openLimitedTestbed(processes);
    const home = testbed.home.rootDir;
    const client = await testbed.limited({ args: ['--allow-root', join(home, '..')] });
    for (const workingDirectory of [home, join(home, '..'), '~'])
      for (const sandbox of ['workspace-write', 'read-only'])
        expect(await client.failure('codex_start', { ...FREE, sandbox, workingDirectory, prompt: 'x' })).toMatch(
          /home folder|where files control what runs/u,
        );
    const hidden = join(home, '.local', 'bin');
    mkdirSync(hidden, { recursive: true });
    for (const more of [{ workingDirectory: hidden }, { addDirs: [hidden] }])
      expect(await client.failure('codex_start', { ...FREE, ...more, prompt: 'x' })).toContain('home folder');
  });
});

describe('stored sessions', () => {
  test.each(RELEASES)('do not regain their extra folders: %s', async (release) => {
    await using testbed = await openLimitedTestbed(processes, { release });
    const { home, outside } = testbed;
    const args = ['-s', 'workspace-write', '--add-dir', outside];
    const { events } = await runCodexExec({ home, prompt: scriptPrompt(), args, timeoutMs: 50_000 });
    const sessionId = String(events.find(({ type }) => type === 'thread.started')?.['thread_id']);
    for (const engine of ['app-server', 'exec']) {
      const client = await testbed.limited({ args: ['--allow-root', testbed.root, '--engine', engine] });
      const message = runs(`touch ${join(outside, 'by-stored')}`);
      for (const more of [{}, { sandbox: 'workspace-write' }])
        await client.result('codex_say', { sessionId, message, waitSeconds: 50, ...more });
      await client.result('codex_fork', { sessionId, message, waitSeconds: 50 });
      await client.result('codex-reply', { threadId: sessionId, prompt: message });
      expect([engine, marks(testbed)]).toEqual([engine, []]);
      await client.close();
    }
  });

  test.each([
    ['no permissions', {}],
    [':workspace', { default_permissions: ':workspace' }],
    [':read-only', { default_permissions: ':read-only' }],
    ['a profile', { default_permissions: 'mine', permissions: { mine: { filesystem: { ':minimal': 'read' } } } }],
  ])("do not continue without a sandbox when the user's config has %s", async (_, extra) => {
    await using testbed = await openLimitedTestbed(processes, { extra });
    const { home, outside } = testbed;
    const args = ['-s', 'danger-full-access'];
    const { events } = await runCodexExec({ home, prompt: scriptPrompt(), args, timeoutMs: 50_000 });
    const sessionId = String(events.find(({ type }) => type === 'thread.started')?.['thread_id']);
    const message = runs(`touch ${join(outside, 'by-stored')}`);
    for (const limits of [[], ['--allow-root', testbed.root, '--approvals', 'none']]) {
      const client = await testbed.serve({
        args: [...limits, '--tools', 'all'],
        env: { SWITCHBOARD_HOME: testbed.own },
      });
      const reported = [
        await client.result('codex_say', { sessionId, message, waitSeconds: 50 }),
        await client.result('codex_fork', { sessionId, message, waitSeconds: 50 }),
        await client.result('codex-reply', { threadId: sessionId, prompt: message }),
      ];
      await client.close();
      expect([limits, marks(testbed)]).toEqual([limits, []]);
      // Under limits, the sandbox that protects a clone below /tmp may replace the stored one.
      if (limits.length > 0 && IS_BELOW_TMP) continue;
      const refused = { isError: true, content: [{ text: expect.stringContaining('--allow-dangerous') }] };
      expect(reported).toMatchObject([refused, refused, refused]);
    }
  });
});
