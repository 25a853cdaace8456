import { expect, test } from 'vitest';
import { type ExecCommand, toExecArguments } from './arguments.ts';

const NOTHING: ExecCommand = {
  settings: {},
  turn: {},
  extraConfig: {},
  images: [],
  files: {},
  to: { kind: 'start' },
};

test.each<[ExecCommand['to'], readonly string[]]>([
  [{ kind: 'start' }, ['-']],
  [{ kind: 'resume', sessionId: 's' }, ['resume', 's', '-']],
  [{ kind: 'fork', sessionId: 's' }, ['fork', 's']],
])('nothing is passed that was not set: %j', (to, end) => {
  expect(toExecArguments({ ...NOTHING, to })).toEqual(['exec', '--json', '--skip-git-repo-check', ...end]);
});

test('all flags stand before resume, each one argument', () => {
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
    to: { kind: 'resume', sessionId: 'id' },
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
});

test('what no argument can hold is refused by name', () => {
  const command = { ...NOTHING, settings: { developerInstructions: 'é'.repeat(70_000) } };
  expect(() => toExecArguments(command)).toThrow(
    expect.objectContaining({
      code: 'BAD_ARGUMENTS',
      message: expect.stringMatching(/^Too long for the exec engine: --config=developer_instructions="é/),
    }),
  );
});
