import { AppError } from '../../base/errors.ts';
import type { ReviewTarget } from '../engine.ts';
import { enforcesLimits, type OperatorLimits } from '../limits/operator-limits.ts';
import { assertInsideGitRepository, checkFolder } from '../settings/check-paths.ts';
import { field, OPEN_ENDED, outcomeSchema, WAIT_SECONDS } from './schemas.ts';
import type { CodexTool } from './tool.ts';
import { toTurnCaller, toTurnResult } from './turn-call.ts';

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
    description: 'Let Codex review changes in a new session. The result contains its findings. Changes no files.',
    input: {
      type: 'object',
      properties: {
        workingDirectory: field.text("A folder in the git repository. Default: this server's folder"),
        target: {
          type: 'string',
          enum: ['uncommitted', 'base', 'commit', 'custom'],
          description:
            "What to review: uncommitted changes (default), changes against a branch ('base'), a commit, or as in 'instructions' ('custom')",
        },
        base: field.text("Branch to compare with, for target 'base'"),
        commit: field.text("Commit, for target 'commit'"),
        instructions: field.text("What to review, for target 'custom'"),
        model: field.text('Model override'),
        waitSeconds: WAIT_SECONDS,
      },
      additionalProperties: false,
    },
    output: outcomeSchema(),
    annotations: { ...OPEN_ENDED, destructiveHint: false },
  },
  async run(args, context, serverContext) {
    // The server has validated the arguments against the input schema.
    const given = args as unknown as ReviewArguments;
    const problem = serverContext.sessions.engine.unsupported.review;
    if (problem !== undefined) throw new AppError('REQUEST_FAILED', problem);
    const target = adaptToLimits(toTarget(given), serverContext.operatorLimits);
    const cwd = await checkFolder(given.workingDirectory ?? '.', 'workingDirectory', serverContext);
    await assertInsideGitRepository(cwd);
    const { model } = given;
    const settings = { cwd, sandbox: 'read-only', ...(model === undefined ? {} : { model }) } as const;
    const session = await serverContext.sessions.review(
      settings,
      target,
      await toTurnCaller(context, serverContext, 'user'),
    );
    return toTurnResult(session, context, serverContext, { seconds: given.waitSeconds });
  },
};

function toTarget({ target, base, commit, instructions }: ReviewArguments): ReviewTarget {
  switch (target ?? 'uncommitted') {
    case 'uncommitted':
      return { type: 'uncommittedChanges' };
    case 'base':
      return { type: 'baseBranch', branch: requireRevision(base, 'base') };
    case 'commit':
      return { type: 'commit', sha: requireRevision(commit, 'commit') };
    case 'custom':
      return { type: 'custom', instructions: requireText(instructions, 'instructions') };
  }
}

/** Under limits Codex's own git finds no repository, so Codex cannot resolve the base branch itself. */
function adaptToLimits(target: ReviewTarget, operatorLimits: OperatorLimits): ReviewTarget {
  if (target.type !== 'baseBranch' || !enforcesLimits(operatorLimits)) return target;
  const instructions = `Review the code changes against the base branch ${JSON.stringify(target.branch)}. Find the merge base first (for example git merge-base HEAD followed by the branch, or by its upstream if that is ahead), then run git diff against that commit to see what would be merged. Report prioritized, actionable findings.`;
  return { type: 'custom', instructions };
}

function requireText(value: string | undefined, name: string): string {
  if (value !== undefined && value.trim() !== '') return value;
  throw new AppError('BAD_ARGUMENTS', `This target requires ${name}.`);
}

/** Throws for a name with a leading dash: Codex passes it to git, which would parse it as an option. */
function requireRevision(value: string | undefined, name: string): string {
  const given = requireText(value, name);
  if (!given.startsWith('-')) return given;
  throw new AppError('BAD_ARGUMENTS', `${name} is not a valid branch or commit: it begins with a dash.`);
}
