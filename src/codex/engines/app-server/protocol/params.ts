import { isObject } from '../../../../wire/messages.ts';
import type { OpenedSession, ReviewTarget, SessionSettings, TurnInput, TurnSettings } from '../../../engine.ts';
import { type CodexVersion, isAtLeast } from '../../../locate/codex-version.ts';
import { sandboxName } from './sandbox-policy.ts';

type Members = Readonly<Record<string, unknown>>;

/** The settings of a session as `thread/start`, `thread/resume` and `thread/fork` take them. */
export function threadParams(settings: SessionSettings, version: CodexVersion | undefined): Members {
  const { cwd, model, sandbox, baseInstructions, developerInstructions, compactPrompt } = settings;
  const config = { ...settings.config, ...(compactPrompt === undefined ? {} : { compact_prompt: compactPrompt }) };
  return withoutUndefined({
    cwd,
    model,
    approvalPolicy: toApprovalPolicy(settings, version),
    sandbox,
    baseInstructions,
    developerInstructions,
    config: Object.keys(config).length === 0 ? undefined : config,
  });
}

/** For a resumed session: effort is a setting of a turn, and a profile that names another effort would override it. */
export function withEffort(settings: SessionSettings): SessionSettings {
  const { effort, config } = settings;
  return effort === undefined ? settings : { ...settings, config: { ...config, model_reasoning_effort: effort } };
}

/** What only `thread/start` takes. */
export function startParams({ rawEvents }: SessionSettings): Members {
  return rawEvents === true ? { experimentalRawEvents: true } : {};
}

export interface TurnTarget {
  /** The sandbox, where it has to be said. */
  readonly policy?: Members | undefined;
  readonly version?: CodexVersion | undefined;
}

export function turnParams(input: TurnInput, turn: TurnSettings, { policy, version }: TurnTarget = {}): Members {
  const { model, effort, outputSchema } = turn;
  return withoutUndefined({
    input: toInput(input),
    model,
    effort,
    approvalPolicy: toApprovalPolicy(turn, version),
    sandboxPolicy: policy,
    outputSchema,
  });
}

/**
 * Codex's own `never` also refuses the tools of MCP servers that it would ask for. Only with neither approvals nor a
 * sandbox nobody is asked for anything.
 */
function toApprovalPolicy(
  { approvalPolicy, sandbox }: SessionSettings & TurnSettings,
  version: CodexVersion | undefined,
): unknown {
  const isAsked = approvalPolicy === 'never' && sandbox !== 'danger-full-access';
  const isKnown = version === undefined || isAtLeast(version, GRANULAR_MINOR);
  return isAsked && isKnown ? NEVER_EXCEPT_MCP_TOOLS : approvalPolicy;
}

/** 0.150 knows it, 0.92 does not. */
const GRANULAR_MINOR = 150;

const NEVER_EXCEPT_MCP_TOOLS = {
  granular: {
    sandbox_approval: false,
    rules: false,
    skill_approval: false,
    request_permissions: false,
    mcp_elicitations: true,
  },
};

function approvalPolicyName(policy: unknown): string | undefined {
  if (typeof policy === 'string') return policy;
  return isObject(policy) && JSON.stringify(policy) === JSON.stringify(NEVER_EXCEPT_MCP_TOOLS) ? 'never' : undefined;
}

export function toInput({ text, images }: TurnInput): readonly Members[] {
  return [{ type: 'text', text, text_elements: [] }, ...images.map((path) => ({ type: 'localImage', path }))];
}

/** What a turn changes stays so for the session. */
export function withTurn(session: OpenedSession, { model, sandbox, approvalPolicy }: TurnSettings): OpenedSession {
  return {
    ...session,
    ...(model === undefined ? {} : { model }),
    ...(sandbox === undefined ? {} : { sandbox }),
    ...(approvalPolicy === undefined ? {} : { approvalPolicy }),
  };
}

/** What Codex says about a session that it has opened. */
export function toOpened(answer: Members): OpenedSession {
  const thread = isObject(answer['thread']) ? answer['thread'] : {};
  const { model } = answer;
  const approvalPolicy = approvalPolicyName(answer['approvalPolicy']);
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

/** Codex takes a missing member for "as configured". */
function withoutUndefined(members: Members): Members {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
