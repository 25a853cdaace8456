import { AppError } from '../../../../base/errors.ts';
import { omitUndefined } from '../../../../base/omit-undefined.ts';
import { isObject, type JsonObject } from '../../../../wire/messages.ts';
import type { OpenedSession, ReviewTarget, SessionSettings, TurnInput, TurnSettings } from '../../../engine.ts';
import { type CodexVersion, isAtLeast } from '../../../locate/codex-version.ts';
import { sandboxName } from './sandbox-policy.ts';

/**
 * Converts the settings of a session for `thread/start`, `thread/resume` and `thread/fork`. Codex uses its configuration
 * for a missing member.
 */
export function threadParams(settings: SessionSettings, version: CodexVersion | undefined): JsonObject {
  const { cwd, model, sandbox, baseInstructions, developerInstructions, compactPrompt } = settings;
  const config = { ...settings.config, ...(compactPrompt === undefined ? {} : { compact_prompt: compactPrompt }) };
  return omitUndefined({
    cwd,
    model,
    approvalPolicy: toApprovalPolicy(settings, version),
    sandbox,
    baseInstructions,
    developerInstructions,
    config: Object.keys(config).length === 0 ? undefined : config,
  });
}

/** Adds the effort for a resumed session: it is a turn setting, and a profile with another effort would override it. */
export function withEffort(settings: SessionSettings): SessionSettings {
  const { effort, config } = settings;
  return effort === undefined ? settings : { ...settings, config: { ...config, model_reasoning_effort: effort } };
}

/** Returns the parameters that only `thread/start` accepts. */
export function startParams({ rawEvents }: SessionSettings): JsonObject {
  return rawEvents === true ? { experimentalRawEvents: true } : {};
}

export interface TurnTarget {
  /** The sandbox, if it has to be sent. */
  readonly policy?: JsonObject | undefined;
  readonly version?: CodexVersion | undefined;
}

export function turnParams(input: TurnInput, turn: TurnSettings, { policy, version }: TurnTarget = {}): JsonObject {
  const { model, effort, outputSchema } = turn;
  return omitUndefined({
    input: toInput(input),
    model,
    effort,
    approvalPolicy: toApprovalPolicy(turn, version),
    sandboxPolicy: policy,
    outputSchema,
  });
}

/**
 * Codex's own `never` also refuses tools of MCP servers that need approval, so it is sent only without a sandbox.
 * Otherwise a granular policy still allows approval requests for these tools.
 */
function toApprovalPolicy(
  { approvalPolicy, sandbox }: SessionSettings & TurnSettings,
  version: CodexVersion | undefined,
): unknown {
  const isAsked = approvalPolicy === 'never' && sandbox !== 'danger-full-access';
  const isKnown = version === undefined || isAtLeast(version, GRANULAR_MINOR);
  return isAsked && isKnown ? NEVER_EXCEPT_MCP_TOOLS : approvalPolicy;
}

/** 0.150 supports granular policies, 0.92 does not. */
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

export function toInput({ text, images }: TurnInput): readonly JsonObject[] {
  return [{ type: 'text', text, text_elements: [] }, ...images.map((path) => ({ type: 'localImage', path }))];
}

/** Applies the settings of a turn to the session, because Codex keeps them. */
export function withTurn(session: OpenedSession, { model, sandbox, approvalPolicy }: TurnSettings): OpenedSession {
  return { ...session, ...omitUndefined({ model, sandbox, approvalPolicy }) };
}

/** Converts Codex's response about a session that it has opened. */
export function toOpened(answer: JsonObject): OpenedSession {
  const thread = isObject(answer['thread']) ? answer['thread'] : {};
  const { model } = answer;
  const approvalPolicy = approvalPolicyName(answer['approvalPolicy']);
  const sandbox = sandboxName(answer['sandbox']);
  const forkedFrom = thread['forkedFromId'];
  return {
    sessionId: requireId(thread['id'], 'session'),
    cwd: String(answer['cwd'] ?? thread['cwd'] ?? ''),
    ...(typeof model === 'string' ? { model } : {}),
    ...(approvalPolicy === undefined ? {} : { approvalPolicy }),
    ...(sandbox === undefined ? {} : { sandbox }),
    ...(typeof forkedFrom === 'string' ? { forkedFrom } : {}),
  };
}

/** Reads Codex's response about a turn that it has started. */
export function toTurnId({ turn }: JsonObject): string {
  return requireId(isObject(turn) ? turn['id'] : undefined, 'turn');
}

function requireId(id: unknown, what: string): string {
  if (typeof id === 'string' && id !== '') return id;
  throw new AppError('BAD_ANSWER', `Codex answered without the id of the ${what}.`);
}

export function toTarget(target: ReviewTarget): JsonObject {
  return target.type === 'commit' ? { ...target, title: null } : target;
}
