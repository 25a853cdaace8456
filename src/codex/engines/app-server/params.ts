import { isObject } from '../../../wire/messages.ts';
import type { OpenedSession, ReviewTarget, SessionSettings, TurnInput, TurnSettings } from '../../engine.ts';
import type { SandboxMode } from '../../words.ts';

type Members = Readonly<Record<string, unknown>>;

/** The settings of a session as `thread/start`, `thread/resume` and `thread/fork` take them. */
export function threadParams(settings: SessionSettings): Members {
  const { cwd, model, approvalPolicy, sandbox, baseInstructions, developerInstructions, compactPrompt } = settings;
  const config = { ...settings.config, ...(compactPrompt === undefined ? {} : { compact_prompt: compactPrompt }) };
  return withoutUndefined({
    cwd,
    model,
    approvalPolicy,
    sandbox,
    baseInstructions,
    developerInstructions,
    config: Object.keys(config).length === 0 ? undefined : config,
  });
}

/** `policy` is the sandbox that the session has, where something has to be added to it. */
export function turnParams(input: TurnInput, turn: TurnSettings, policy?: Members): Members {
  const { model, effort, approvalPolicy, sandbox, outputSchema } = turn;
  const sandboxPolicy = policy ?? (sandbox === undefined ? undefined : toPolicy(sandbox));
  return withoutUndefined({
    input: toInput(input),
    model,
    effort,
    approvalPolicy,
    sandboxPolicy,
    outputSchema,
  });
}

export function toInput({ text, images }: TurnInput): readonly Members[] {
  return [{ type: 'text', text, text_elements: [] }, ...images.map((path) => ({ type: 'localImage', path }))];
}

/**
 * The sandbox of a session with further folders to write to; undefined where they make no difference. Codex's own
 * configuration has a key for them, but that would replace those which the user has there.
 */
export function withFolders(policy: unknown, addDirs: readonly string[]): Members | undefined {
  if (!isObject(policy) || policy['type'] !== 'workspaceWrite') return undefined;
  const roots = Array.isArray(policy['writableRoots']) ? policy['writableRoots'] : [];
  return { ...policy, writableRoots: [...new Set([...roots, ...addDirs])] };
}

/** What Codex says about a session that it has opened. */
export function toOpened(answer: Members): OpenedSession {
  const thread = isObject(answer['thread']) ? answer['thread'] : {};
  const { model, approvalPolicy } = answer;
  const sandbox = sandboxName(answer['sandbox']);
  const forkedFrom = thread['forkedFromId'];
  return {
    sessionId: String(thread['id']),
    cwd: String(answer['cwd'] ?? thread['cwd'] ?? ''),
    ...(typeof model === 'string' ? { model } : {}),
    ...(typeof approvalPolicy === 'string' ? { approvalPolicy } : {}),
    ...(sandbox === undefined ? {} : { sandbox }),
    ...(typeof forkedFrom === 'string' ? { forkedFrom } : {}),
  };
}

export function toTarget(target: ReviewTarget): Members {
  return target.type === 'commit' ? { ...target, title: null } : target;
}

function sandboxName(policy: unknown): string | undefined {
  const type = isObject(policy) ? policy['type'] : undefined;
  return typeof type === 'string' ? (NAMES[type] ?? type) : undefined;
}

const NAMES: Readonly<Record<string, SandboxMode>> = {
  readOnly: 'read-only',
  workspaceWrite: 'workspace-write',
  dangerFullAccess: 'danger-full-access',
};

function toPolicy(sandbox: SandboxMode): Members {
  switch (sandbox) {
    case 'read-only':
      return { type: 'readOnly', networkAccess: false };
    case 'workspace-write':
      return {
        type: 'workspaceWrite',
        writableRoots: [],
        networkAccess: false,
        excludeTmpdirEnvVar: false,
        excludeSlashTmp: false,
      };
    case 'danger-full-access':
      return { type: 'dangerFullAccess' };
  }
}

/** Codex takes a missing member for "as configured". */
function withoutUndefined(members: Members): Members {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
