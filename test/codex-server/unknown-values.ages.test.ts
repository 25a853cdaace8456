import { describe, expect, test } from 'vitest';
import { codexAges } from '../codex/ages.ts';
import { script } from '../codex/script.ts';
import { shareWorld } from './flow-world.ts';
import { FREE } from './world.ts';

/** Codex words its rejection of an unknown value like that of an unknown method. */
describe.each(codexAges('today', 'middle', 'old'))('a value that Codex does not know, with Codex %s', (age) => {
  const shared = shareWorld({ age });
  const prompt = script([{ message: 'done' }]);

  test('in the config is named in the error', async () => {
    const config = { model_reasoning_summary: 'weird' };
    const refusal = await shared.client.failure('codex_start', { ...FREE, prompt, config });
    expect(refusal).toContain('weird');
    expect(refusal).not.toContain('Use a newer Codex');
  });

  // A newer Codex accepts every effort.
  test.runIf(age === 'old')('as the effort of a message is named in the error', async () => {
    const { sessionId = '' } = await shared.client.call('codex_start', { ...FREE, prompt, waitSeconds: 50 });
    const refusal = await shared.client.failure('codex_say', { sessionId, message: prompt, effort: 'weird' });
    expect(refusal).toMatch(/^Codex refused: .*weird/u);
  });
});
