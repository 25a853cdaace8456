import { AppError } from '../../../base/errors.ts';
import type { SessionSettings, TurnSettings } from '../../engine.ts';
import { mergeConfig } from '../../settings/merge-config.ts';
import { toOverrides } from './config-overrides.ts';
import type { Fields } from './protocol/fields.ts';

export interface ExecCommand {
  readonly settings: SessionSettings;
  readonly turn: TurnSettings;
  /** Laid over whatever the caller has set. */
  readonly extraConfig: Fields;
  readonly images: readonly string[];
  /** Paths of files that were written for this run. */
  readonly files: { readonly outputSchema?: string | undefined; readonly baseInstructions?: string | undefined };
  readonly target:
    | { readonly kind: 'start' }
    | { readonly kind: 'resume'; readonly sessionId: string }
    | { readonly kind: 'fork'; readonly sessionId: string };
}

/** Linux takes no argument of 128 KiB or more. */
const MAX_ARGUMENT_BYTES = 128 * 1024 - 1;

/**
 * The arguments of one `codex exec`: only what was set. Every flag stands before `resume` and `fork`, which know few of
 * them (0.92 to 0.166 all take them there), and is one argument with its value, so that nothing is taken for another: a
 * bare `--image` takes every word that follows. The prompt comes through stdin, which `-` asks for: it may be long, may
 * begin with a dash, and is nobody's business who lists the processes. There is no flag for the approval policy, because
 * `exec` never asks.
 */
export function toExecArguments(command: ExecCommand): readonly string[] {
  const args = ['exec', ...flagArguments(command), ...targetArguments(command.target)];
  const long = args.find((arg) => Buffer.byteLength(arg) > MAX_ARGUMENT_BYTES);
  if (long === undefined) return args;
  throw new AppError(
    'BAD_ARGUMENTS',
    `Too long for the exec engine: ${long.slice(0, 60)}… Give at most 128 KiB, or put it into a file that Codex reads.`,
  );
}

function flagArguments({ settings, turn, extraConfig, images, files, target }: ExecCommand): readonly string[] {
  const { cwd, profile, addDirs = [] } = settings;
  const { model = settings.model, sandbox = settings.sandbox, effort = settings.effort } = turn;
  const own = {
    model_reasoning_effort: effort,
    // The one key that every version knows: `instructions` means nothing to 0.92.
    model_instructions_file: files.baseInstructions,
    developer_instructions: settings.developerInstructions,
    compact_prompt: settings.compactPrompt,
  };
  // Codex reads the profile itself; what the caller has set besides stands above it.
  const fromProfile = new Set(toOverrides(profile?.overrides ?? {}));
  const overrides = toOverrides(mergeConfig(mergeConfig(settings.config ?? {}, ifSet(own)), extraConfig));
  return [
    '--json',
    // A session that goes on has been allowed to work where it does.
    ...(settings.skipsGitCheck === true || target.kind !== 'start' ? ['--skip-git-repo-check'] : []),
    ...flag('model', model),
    ...flag('sandbox', sandbox),
    ...flag('cd', cwd),
    ...flag('profile', profile?.name),
    ...overrides.filter((override) => !fromProfile.has(override)).flatMap((override) => flag('config', override)),
    ...addDirs.flatMap((folder) => flag('add-dir', folder)),
    ...images.flatMap((image) => flag('image', image)),
    ...flag('output-schema', files.outputSchema),
  ];
}

function flag(name: string, value: string | undefined): readonly string[] {
  return value === undefined ? [] : [`--${name}=${value}`];
}

function ifSet(members: Fields): Fields {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

function targetArguments(target: ExecCommand['target']): readonly string[] {
  switch (target.kind) {
    case 'start':
      return ['-'];
    case 'resume':
      return ['resume', target.sessionId, '-'];
    case 'fork':
      return ['fork', target.sessionId];
  }
}
