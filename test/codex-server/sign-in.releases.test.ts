import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { quoteForShell } from '../../src/base/text/shell-quote.ts';
import type { CodexRelease } from '../codex/codex-binary.ts';
import { findCodex } from '../codex/codex-binary.ts';
import { runsCodex, testWith } from '../codex/releases.ts';
import { script } from '../codex/script.ts';
import { createProcessTracker } from '../processes.ts';
import { openTestbed, type Testbed } from './testbed.ts';

const processes = createProcessTracker();
afterAll(() => processes.assertAllGone({ withinMs: 20_000 }));

/** Codex with its defaults: OpenAI is the provider, and nobody has signed in. */
const unsigned = (release: CodexRelease = 'current') =>
  openTestbed(processes, { release, extra: { model_provider: 'openai' } });
const hello = (testbed: Testbed) => ({ prompt: script([{ message: 'hi' }]), workingDirectory: testbed.home.workDir });

/** Signs in like a user in a terminal. */
function login({ home, env }: Testbed): void {
  const { command, args } = findCodex(home.release);

  execFileSync(command, [...args, 'login', '--with-api-key'], {
    env: env(),
    input: 'sk-nothing\n',
    stdio: ['pipe', 'ignore', 'ignore'],
  });
}

const KINDS: readonly (readonly [CodexRelease, 'app-server' | 'exec'])[] = [
  ['current', 'app-server'],
  ['previous', 'app-server'],
  ['old', 'app-server'],
  ['current', 'exec'],
  ['old', 'exec'],
];

describe.each(KINDS.filter(([release]) => runsCodex(release)))('Codex %s with engine %s', (release, engine) => {
  const args = ['--engine', engine];

  test('refuses a session at once without a sign-in, and starts it after codex login', async () => {
    await using testbed = await unsigned(release);
    const client = await testbed.serve({ args });
    expect(await client.failure('codex_start', hello(testbed))).toContain('Codex is not signed in');
    expect(await client.failure('codex_start', hello(testbed))).toContain(
      `Run: ${quoteForShell(findCodex(release).command)} login`,
    );
    expect(await client.call('codex_list')).toMatchObject({ sessions: [] });
    login(testbed);
    const started = await client.call('codex_start', hello(testbed));
    expect(started).toMatchObject({ status: 'active' });
    await client.call('codex_interrupt', { sessionId: started['sessionId'] ?? '' });
  });

  // The current app-server accepts turns only for the provider of the user's own configuration.
  test.skipIf(release === 'current' && engine === 'app-server')(
    'requires no sign-in for another provider',
    async () => {
      await using testbed = await unsigned(release);
      const client = await testbed.serve({ args });
      const chosen = { ...hello(testbed), config: { model_provider: 'scripted' }, waitSeconds: 50 };
      expect(await client.call('codex_start', chosen)).toMatchObject({ status: 'done', result: 'hi' });
    },
  );
});

testWith('current')('a key that Codex does not read is named together with the way to use it', async () => {
  await using testbed = await unsigned();
  const client = await testbed.serve({ env: { OPENAI_API_KEY: 'sk-nothing' } });
  const reported = await client.failure('codex_start', hello(testbed));
  const login = `${quoteForShell(findCodex().command)} login`;
  expect(reported).toContain(`printenv OPENAI_API_KEY | ${login} --with-api-key`);
  expect(reported).not.toContain('sk-nothing');
});

testWith('current')('CODEX_API_KEY is a sign-in for codex exec', async () => {
  await using testbed = await unsigned();
  const client = await testbed.serve({ args: ['--engine', 'exec'], env: { CODEX_API_KEY: 'sk-nothing' } });
  const { sessionId = '', status } = await client.call('codex_start', hello(testbed));
  expect(status).toBe('active');
  await client.call('codex_interrupt', { sessionId });
});

testWith('current')('a proxy in front of OpenAI may add the key itself', async () => {
  await using testbed = await unsigned();
  const client = await testbed.serve({ env: { OPENAI_BASE_URL: testbed.model.url } });
  const { sessionId = '', status } = await client.call('codex_start', hello(testbed));
  expect(status).toBe('active');
  await client.call('codex_interrupt', { sessionId });
});

testWith('current')(
  'the next session fails if the user switches to a provider that needs a sign-in while Codex is running',
  async () => {
    await using testbed = await openTestbed(processes);
    const client = await testbed.serve();
    const done = { status: 'done', result: 'hi' };
    expect(await client.call('codex_start', { ...hello(testbed), waitSeconds: 50 })).toMatchObject(done);
    const file = join(testbed.home.codexDir, 'config.toml');
    const config = readFileSync(file, 'utf8');
    writeFileSync(file, config.replace('model_provider = "scripted"', 'model_provider = "openai"'));
    expect(await client.failure('codex_start', hello(testbed))).toContain('Codex is not signed in');
    writeFileSync(file, config);
    expect(await client.call('codex_start', { ...hello(testbed), waitSeconds: 50 })).toMatchObject(done);
  },
);
