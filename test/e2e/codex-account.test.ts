import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { script } from '../codex/script.ts';
import { openTestbed } from '../codex-server/testbed.ts';
import { trackProcesses } from '../processes.ts';
import { verifies } from '../verifies.ts';
import { takeSteps } from './steps.ts';

const isWanted = process.env['CODEX_E2E'] === 'true';
const root = join(import.meta.dirname, '..', '..');
const processes = trackProcesses();
const TURN_MS = 180_000;

verifies('codex:e2e:gated', 'only npm run test:e2e uses a real account', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const asking = Object.entries(scripts).filter(([, line]) => String(line).includes('CODEX_E2E'));
  expect(asking).toEqual([['test:e2e', expect.stringMatching(/CODEX_E2E=true vitest run test\/e2e$/)]]);
});

verifies(
  'codex:e2e:steps',
  'the five steps run with the scripted model, and with CODEX_E2E=true on a real account',
  async () => {
    await using testbed = await openTestbed(processes);
    const folder = mkdtempSync(join(tmpdir(), 'switchboard-e2e-'));
    execFileSync('git', ['init', '--quiet'], { cwd: folder });
    try {
      const scripted = [
        script([{ message: 'ready' }]),
        script([{ message: 'again' }]),
        script([{ deltas: Array(100).fill('and on '), paceMs: 500 }]),
      ] as const;
      await takeSteps({ command: testbed.command(), env: testbed.env(), folder, prompts: scripted, turnMs: 60_000 });
      if (!isWanted) return;
      const env = Object.fromEntries(
        Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined),
      );
      await takeSteps({ command: testbed.command(), env, folder, prompts: PLAIN, turnMs: TURN_MS });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
  3 * TURN_MS,
);

const PLAIN = [
  'Answer with the one word: ready. Do not run any command.',
  'And now with the one word: again.',
  'Count slowly from 1 to 500, one number per line.',
] as const;
