import { describe, expect, test } from 'vitest';
import { codexReleases } from '../codex/releases.ts';
import { script } from '../codex/script.ts';
import { shareTestbed } from './flow-testbed.ts';
import { FREE } from './testbed.ts';

/** Codex words its rejection of an unknown value like that of an unknown method. */
describe.each(codexReleases('current', 'previous', 'old'))(
  'a value that Codex does not know, with Codex %s',
  (release) => {
    const shared = shareTestbed({ release });
    const prompt = script([{ message: 'done' }]);

    test('in the config is named in the error', async () => {
      const config = { model_reasoning_summary: 'weird' };
      const refusal = await shared.client.failure('codex_start', { ...FREE, prompt, config });
      expect(refusal).toContain('weird');
      expect(refusal).not.toContain('Use a newer Codex');
    });

    // A newer Codex accepts every effort.
    test.runIf(release === 'old')('as the effort of a message is named in the error', async () => {
      const { sessionId = '' } = await shared.client.call('codex_start', { ...FREE, prompt, waitSeconds: 50 });
      const refusal = await shared.client.failure('codex_say', { sessionId, message: prompt, effort: 'weird' });
      expect(refusal).toMatch(/^Codex refused: .*weird/u);
    });
  },
);
