import { expect, test } from 'vitest';
import { verifies } from '../../../../test/verifies.ts';
import { type ExecCommand, toExecArguments } from './arguments.ts';

const NOTHING: ExecCommand = {
  settings: {},
  turn: {},
  extraConfig: {},
  images: [],
  files: {},
  target: { kind: 'start' },
};

verifies(['codex:exec:flags', 'codex:exec:prompt-last'], 'passes no flags for unset settings', () => {
  const args = (to: ExecCommand['target']) => toExecArguments({ ...NOTHING, target: to });
  expect(args({ kind: 'start' })).toEqual(['exec', '--json', '-']);
  expect(args({ kind: 'resume', sessionId: 's' })).toEqual([
    'exec',
    '--json',
    '--skip-git-repo-check',
    'resume',
    's',
    '-',
  ]);
  expect(args({ kind: 'fork', sessionId: 's' })).toEqual(['exec', '--json', '--skip-git-repo-check', 'fork', 's']);
});

verifies(
  ['codex:exec:flags', 'codex:exec:config-flags', 'codex:exec:resume'],
  'puts all flags before resume, each as one argument',
  () => {
    const args = toExecArguments({
      settings: {
        cwd: '/ws',
        model: 'old',
        effort: 'high',
        approvalPolicy: 'on-request',
        sandbox: 'workspace-write',
        config: { tools: { web_search: true }, model_verbosity: 'low', from_profile: 1 },
        profile: { name: 'fast', overrides: { from_profile: 1, model_verbosity: 'high' } },
        developerInstructions: 'Be kind.',
        compactPrompt: 'Short.',
        addDirs: ['/one', '/two'],
      },
      turn: { model: '-new', effort: 'low', sandbox: 'read-only' },
      extraConfig: { tools: { web_search: false } },
      images: ['/a.png', '/b.png'],
      files: { outputSchema: '/s.json', baseInstructions: '/i.md' },
      target: { kind: 'resume', sessionId: 'id' },
    });

    expect(args).toEqual([
      'exec',
      '--json',
      '--skip-git-repo-check',
      '--model=-new',
      '--sandbox=read-only',
      '--cd=/ws',
      '--profile=fast',
      '--config=tools.web_search=false',
      '--config=model_verbosity="low"',
      '--config=model_reasoning_effort="low"',
      '--config=model_instructions_file="/i.md"',
      '--config=developer_instructions="Be kind."',
      '--config=compact_prompt="Short."',
      '--add-dir=/one',
      '--add-dir=/two',
      '--image=/a.png',
      '--image=/b.png',
      '--output-schema=/s.json',
      'resume',
      'id',
      '-',
    ]);
  },
);

test('passes --skip-git-repo-check if the caller sets it', () => {
  expect(toExecArguments({ ...NOTHING, settings: { skipsGitCheck: true } })).toEqual([
    'exec',
    '--json',
    '--skip-git-repo-check',
    '-',
  ]);
});

test('rejects a value that is too long for an argument, by name', () => {
  const command = { ...NOTHING, settings: { developerInstructions: 'é'.repeat(70_000) } };
  expect(() => toExecArguments(command)).toThrow(
    expect.objectContaining({
      code: 'BAD_ARGUMENTS',
      message: expect.stringMatching(/^Too long for the exec engine: --config=developer_instructions="é/),
    }),
  );
});
