import { AppError } from '../../base/errors.ts';
import type { ReviewTarget } from '../engine.ts';
import { checkFolder, refuseOutsideGit } from '../files.ts';
import { answerAfter, toDriver } from './drive.ts';
import { field, OPEN_ENDED, sessionSchema, WAIT_SECONDS } from './schemas.ts';
import type { CodexTool } from './tool.ts';

interface ReviewArguments {
  readonly workingDirectory?: string;
  readonly target?: 'uncommitted' | 'base' | 'commit' | 'custom';
  readonly base?: string;
  readonly commit?: string;
  readonly instructions?: string;
  readonly model?: string;
  readonly waitSeconds?: number;
}

export const reviewTool: CodexTool = {
  name: 'codex_review',
  definition: {
    title: 'Review code with Codex',
    description: 'Let Codex review changes in a new session; the findings are its result. Nothing is changed by it.',
    input: {
      type: 'object',
      properties: {
        workingDirectory: field.text('A folder in the git repository. Default: that of this server'),
        target: {
          type: 'string',
          enum: ['uncommitted', 'base', 'commit', 'custom'],
          description:
            "What to review: uncommitted changes (default), changes against a branch ('base'), a commit, or what 'instructions' say",
        },
        base: field.text("The branch to compare with, for target 'base'"),
        commit: field.text("The commit, for target 'commit'"),
        instructions: field.text("What to review, for target 'custom'"),
        model: field.text('Model override'),
        waitSeconds: WAIT_SECONDS,
      },
      additionalProperties: false,
    },
    output: sessionSchema(),
    annotations: { ...OPEN_ENDED, destructiveHint: false },
  },
  async run(args, context, workplace) {
    // The input schema has been checked.
    const given = args as unknown as ReviewArguments;
    const problem = workplace.sessions.engine.cannot.review;
    if (problem !== undefined) throw new AppError('REQUEST_FAILED', problem);
    const target = toTarget(given);
    const cwd = await checkFolder(given.workingDirectory ?? '.', 'workingDirectory', workplace);
    await refuseOutsideGit(cwd);
    const { model } = given;
    const settings = { cwd, sandbox: 'read-only', ...(model === undefined ? {} : { model }) } as const;
    const session = await workplace.sessions.review(
      settings,
      target,
      toDriver(context, workplace, { folders: () => [cwd] }),
    );
    return answerAfter(session, context, workplace, { seconds: given.waitSeconds });
  },
};

function toTarget({ target, base, commit, instructions }: ReviewArguments): ReviewTarget {
  switch (target ?? 'uncommitted') {
    case 'uncommitted':
      return { type: 'uncommittedChanges' };
    case 'base':
      return { type: 'baseBranch', branch: needed(base, 'base') };
    case 'commit':
      return { type: 'commit', sha: needed(commit, 'commit') };
    case 'custom':
      return { type: 'custom', instructions: needed(instructions, 'instructions') };
  }
}

function needed(value: string | undefined, name: string): string {
  if (value !== undefined && value.trim() !== '') return value;
  throw new AppError('BAD_ARGUMENTS', `This target needs ${name}.`);
}
