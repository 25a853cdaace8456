import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { quoteForShell } from '../../src/base/text/shell-quote.ts';
import { runsCodex, testWith } from '../codex/ages.ts';
import type { CodexAge } from '../codex/codex-binary.ts';
import { findCodex } from '../codex/codex-binary.ts';
import { script } from '../codex/script.ts';
import { createProcessTracker } from '../processes.ts';
import { openWorld, type World } from './world.ts';

const processes = createProcessTracker();
afterAll(() => processes.assertAllGone({ withinMs: 20_000 }));

/** Codex with its defaults: OpenAI is the provider, and nobody has signed in. */
const unsigned = (age: CodexAge = 'today') => openWorld(processes, { age, extra: { model_provider: 'openai' } });
const hello = (world: World) => ({ prompt: script([{ message: 'hi' }]), workingDirectory: world.home.workDir });

/** Signs in like a user in a terminal. */
function login({ home, env }: World): void {
  const { command, args } = findCodex(home.age);

  execFileSync(command, [...args, 'login', '--with-api-key'], {
    env: env(),
    input: 'sk-nothing\n',
    stdio: ['pipe', 'ignore', 'ignore'],
  });
}

const KINDS: readonly (readonly [CodexAge, 'app-server' | 'exec'])[] = [
  ['today', 'app-server'],
  ['middle', 'app-server'],
  ['old', 'app-server'],
  ['today', 'exec'],
  ['old', 'exec'],
];

describe.each(KINDS.filter(([age]) => runsCodex(age)))('Codex %s with engine %s', (age, engine) => {
  const args = ['--engine', engine];

  test('refuses a session at once without a sign-in, and starts it after codex login', async () => {
    await using world = await unsigned(age);
    const client = await world.serve({ args });
    expect(await client.failure('codex_start', hello(world))).toContain('Codex is not signed in');
    expect(await client.failure('codex_start', hello(world))).toContain(
      `Run: ${quoteForShell(findCodex(age).command)} login`,
    );
    expect(await client.call('codex_list')).toMatchObject({ sessions: [] });
    login(world);
    const started = await client.call('codex_start', hello(world));
    expect(started).toMatchObject({ status: 'active' });
    await client.call('codex_interrupt', { sessionId: started['sessionId'] ?? '' });
  });

  // The current app-server accepts turns only for the provider of the user's own configuration.
  test.skipIf(age === 'today' && engine === 'app-server')('requires no sign-in for another provider', async () => {
    await using world = await unsigned(age);
    const client = await world.serve({ args });
    const chosen = { ...hello(world), config: { model_provider: 'scripted' }, waitSeconds: 50 };
    expect(await client.call('codex_start', chosen)).toMatchObject({ status: 'done', result: 'hi' });
  });
});

testWith('today')('a key that Codex does not read is named together with the way to use it', async () => {
  await using world = await unsigned();
  const client = await world.serve({ env: { OPENAI_API_KEY: 'sk-nothing' } });
  const told = await client.failure('codex_start', hello(world));
  const login = `${quoteForShell(findCodex().command)} login`;
  expect(told).toContain(`printenv OPENAI_API_KEY | ${login} --with-api-key`);
  expect(told).not.toContain('sk-nothing');
});

testWith('today')('CODEX_API_KEY is a sign-in for codex exec', async () => {
  await using world = await unsigned();
  const client = await world.serve({ args: ['--engine', 'exec'], env: { CODEX_API_KEY: 'sk-nothing' } });
  const { sessionId = '', status } = await client.call('codex_start', hello(world));
  expect(status).toBe('active');
  await client.call('codex_interrupt', { sessionId });
});

testWith('today')('a proxy in front of OpenAI may add the key itself', async () => {
  await using world = await unsigned();
  const client = await world.serve({ env: { OPENAI_BASE_URL: world.model.url } });
  const { sessionId = '', status } = await client.call('codex_start', hello(world));
  expect(status).toBe('active');
  await client.call('codex_interrupt', { sessionId });
});

testWith('today')(
  'the next session fails if the user switches to a provider that needs a sign-in while Codex is running',
  async () => {
    await using world = await openWorld(processes);
    const client = await world.serve();
    const done = { status: 'done', result: 'hi' };
    expect(await client.call('codex_start', { ...hello(world), waitSeconds: 50 })).toMatchObject(done);
    const file = join(world.home.codexDir, 'config.toml');
    const config = readFileSync(file, 'utf8');
    writeFileSync(file, config.replace('model_provider = "scripted"', 'model_provider = "openai"'));
    expect(await client.failure('codex_start', hello(world))).toContain('Codex is not signed in');
    writeFileSync(file, config);
    expect(await client.call('codex_start', { ...hello(world), waitSeconds: 50 })).toMatchObject(done);
  },
);
