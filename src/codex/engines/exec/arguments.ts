import { AppError } from '../../../base/errors.ts';
import { omitUndefined } from '../../../base/omit-undefined.ts';
import type { JsonObject } from '../../../wire/messages.ts';
import type { SessionSettings, TurnSettings } from '../../engine.ts';
import { mergeConfig } from '../../settings/merge-config.ts';
import { toOverrides } from './config-overrides.ts';

export interface ExecCommand {
  readonly settings: SessionSettings;
  readonly turn: TurnSettings;
  /** Overrides the caller's settings. */
  readonly extraConfig: JsonObject;
  readonly images: readonly string[];
  /** Paths of files that were written for this run. */
  readonly files: { readonly outputSchema?: string | undefined; readonly baseInstructions?: string | undefined };
  readonly target:
    | { readonly kind: 'start' }
    | { readonly kind: 'resume'; readonly sessionId: string }
    | { readonly kind: 'fork'; readonly sessionId: string };
}

/** Linux accepts no argument of 128 KiB or more. */
const MAX_ARGUMENT_BYTES = 128 * 1024 - 1;

/**
 * Returns the arguments of one `codex exec`, for the given settings only. Every flag precedes `resume` and `fork`,
 * which support few flags themselves (0.92 to 0.166 all accept them there). Each flag is one argument with its value,
 * so that no other argument is mistaken for a value: a bare `--image` consumes all arguments that follow. The prompt
 * comes from stdin, which `-` selects: it may be long, may begin with a dash, and must not appear in a process list.
 * There is no flag for the approval policy, because `exec` never asks for approvals.
 */
export function toExecArguments(command: ExecCommand): readonly string[] {
  const args = ['exec', ...flagArguments(command), ...targetArguments(command.target)];
  const long = args.find((arg) => Buffer.byteLength(arg) > MAX_ARGUMENT_BYTES);
  if (long === undefined) return args;
  throw new AppError(
    'BAD_ARGUMENTS',
    `Too long for the exec engine: ${long.slice(0, 60)}… Give at most 128 KiB, or put it in a file that Codex reads.`,
  );
}

function flagArguments({ settings, turn, extraConfig, images, files, target }: ExecCommand): readonly string[] {
  const { cwd, profile, addDirs = [] } = settings;
  const { model = settings.model, sandbox = settings.sandbox, effort = settings.effort } = turn;
  const own = {
    model_reasoning_effort: effort,
    // The only key that every version supports: 0.92 ignores `instructions`.
    model_instructions_file: files.baseInstructions,
    developer_instructions: settings.developerInstructions,
    compact_prompt: settings.compactPrompt,
  };
  // Codex reads the profile itself. The caller's other settings override it.
  const fromProfile = new Set(toOverrides(profile?.overrides ?? {}));
  const overrides = toOverrides(mergeConfig(mergeConfig(settings.config ?? {}, omitUndefined(own)), extraConfig));
  return [
    '--json',
    // A continued session was already allowed to work in its folder.
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
