import { isObject } from '../../../wire/messages.ts';
import { type CodexVersion, isAtLeast } from '../../codex-version.ts';
import type { OpenedSession, ReviewTarget, SessionSettings, TurnInput, TurnSettings } from '../../engine.ts';
import type { SandboxMode } from '../../words.ts';

type Members = Readonly<Record<string, unknown>>;

/** The settings of a session as `thread/start`, `thread/resume` and `thread/fork` take them. */
export function threadParams(settings: SessionSettings, version: CodexVersion | undefined): Members {
  const { cwd, model, sandbox, baseInstructions, developerInstructions, compactPrompt } = settings;
  const config = { ...settings.config, ...(compactPrompt === undefined ? {} : { compact_prompt: compactPrompt }) };
  return withoutUndefined({
    cwd,
    model,
    approvalPolicy: toPolicy(settings, version),
    sandbox,
    baseInstructions,
    developerInstructions,
    config: Object.keys(config).length === 0 ? undefined : config,
  });
}

/** What only `thread/start` takes. */
export function startParams({ rawEvents }: SessionSettings): Members {
  return rawEvents === true ? { experimentalRawEvents: true } : {};
}

export interface TurnTarget {
  /** The sandbox that the session has, where something has to be added to it. */
  readonly policy?: Members | undefined;
  readonly version?: CodexVersion | undefined;
}

export function turnParams(input: TurnInput, turn: TurnSettings, { policy, version }: TurnTarget = {}): Members {
  const { model, effort, sandbox, outputSchema } = turn;
  const sandboxPolicy = policy ?? (sandbox === undefined ? undefined : toSandboxPolicy(sandbox));
  return withoutUndefined({
    input: toInput(input),
    model,
    effort,
    approvalPolicy: toPolicy(turn, version),
    sandboxPolicy,
    outputSchema,
  });
}

/**
 * Codex's own `never` also refuses the tools of MCP servers that it would ask for. Only with neither approvals nor a
 * sandbox nobody is asked for anything.
 */
function toPolicy(
  { approvalPolicy, sandbox }: SessionSettings & TurnSettings,
  version: CodexVersion | undefined,
): unknown {
  const isAsked = approvalPolicy === 'never' && sandbox !== 'danger-full-access';
  const isKnown = version === undefined || isAtLeast(version, GRANULAR_MINOR);
  return isAsked && isKnown ? NEVER_BUT_TOOLS : approvalPolicy;
}

/** 0.150 knows it, 0.92 does not. */
const GRANULAR_MINOR = 150;

const NEVER_BUT_TOOLS = {
  granular: {
    sandbox_approval: false,
    rules: false,
    skill_approval: false,
    request_permissions: false,
    mcp_elicitations: true,
  },
};

function policyName(policy: unknown): string | undefined {
  if (typeof policy === 'string') return policy;
  return isObject(policy) && JSON.stringify(policy) === JSON.stringify(NEVER_BUT_TOOLS) ? 'never' : undefined;
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
  const { model } = answer;
  const approvalPolicy = policyName(answer['approvalPolicy']);
  const sandbox = sandboxName(answer['sandbox']);
  const forkedFrom = thread['forkedFromId'];
  return {
    sessionId: String(thread['id']),
    cwd: String(answer['cwd'] ?? thread['cwd'] ?? ''),
    ...(typeof model === 'string' ? { model } : {}),
    ...(approvalPolicy === undefined ? {} : { approvalPolicy }),
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

function toSandboxPolicy(sandbox: SandboxMode): Members {
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
