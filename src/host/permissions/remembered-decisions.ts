import { sha256 } from '../../base/digest.ts';
import { definitionHash } from '../../schema/differences/difference.ts';
import { type ArgumentsSnapshot, argumentsDigest } from './arguments-snapshot.ts';

/** Scope of one answer: these arguments of the tool, the tool, or the whole server. */
export type Scope = (typeof SCOPES)[number];

export const SCOPES = ['arguments', 'tool', 'server'] as const;

/** A person's decision, as stored. Stores names as text and everything else as digests. */
export interface RememberedDecision {
  readonly scope: Scope;
  readonly server: string;
  readonly identity: string;
  /** Undefined for scope `server`. */
  readonly tool: string | undefined;
  /** Undefined for scope `server`. */
  readonly definition: string | undefined;
  /** Only for scope `arguments`. */
  readonly arguments: string | undefined;
  readonly isAllowed: boolean;
  readonly at: number;
}

/** The properties of a call that decisions depend on. */
export interface DecisionSubject {
  readonly server: string;
  readonly identity: string;
  readonly tool: string;
  readonly definition: string;
  readonly arguments: string;
}

export function subjectOf(
  call: Omit<DecisionSubject, 'arguments'>,
  argumentsSnapshot: ArgumentsSnapshot,
): DecisionSubject {
  return {
    server: call.server,
    identity: sha256(call.identity),
    tool: call.tool,
    definition: definitionHash(call.definition),
    arguments: argumentsDigest(argumentsSnapshot),
  };
}

/** Rejects names that no sensible server has: they could fill the file, or make it unreadable. */
export function canBeRemembered({ server, tool }: DecisionSubject): boolean {
  return [server, tool].every((name) => name.length <= MAX_NAME && !name.includes('\0'));
}

const MAX_NAME = 512;

/** `changed` is a decision about an earlier definition of the tool. It has no effect, but the question mentions it. */
export type DecisionLookup =
  | { readonly kind: 'decided'; readonly decision: RememberedDecision }
  | { readonly kind: 'changed'; readonly decision: RememberedDecision }
  | { readonly kind: 'nothing' };

/**
 * Finds the decision that applies to this call. A refusal takes precedence over every permission. A tool with a
 * decision of its own that has changed since needs a new confirmation, even when the whole server is allowed. Otherwise
 * a refused tool would only have to change.
 */
export function findDecision(decisions: readonly RememberedDecision[], subject: DecisionSubject): DecisionLookup {
  const about = decisions.filter((decision) => isAbout(decision, subject));
  const counting = about.filter((decision) => !isOutdated(decision, subject));
  const refusal = counting.find(({ isAllowed }) => !isAllowed);
  if (refusal !== undefined) return { kind: 'decided', decision: refusal };
  const own = counting.find(({ scope }) => scope !== 'server');
  if (own !== undefined) return { kind: 'decided', decision: own };
  const outdated = about.findLast((decision) => isOutdated(decision, subject));
  if (outdated !== undefined) return { kind: 'changed', decision: outdated };
  const [decision] = counting;
  return decision === undefined ? { kind: 'nothing' } : { kind: 'decided', decision };
}

/** Compares the server and, where the scope includes them, tool and arguments; ignores the definition. */
function isAbout(decision: RememberedDecision, subject: DecisionSubject): boolean {
  if (decision.server !== subject.server || decision.identity !== subject.identity) return false;
  if (decision.scope === 'server') return true;
  if (decision.tool !== subject.tool) return false;
  return decision.scope === 'tool' || decision.arguments === subject.arguments;
}

function isOutdated({ scope, definition }: RememberedDecision, subject: DecisionSubject): boolean {
  return scope !== 'server' && definition !== subject.definition;
}

export interface NewDecision {
  readonly subject: DecisionSubject;
  readonly scope: Scope;
  readonly isAllowed: boolean;
  readonly at: number;
}

/** Appends the new decision and removes those that it replaces. Drops the oldest when there are too many. */
export function addDecision(decisions: readonly RememberedDecision[], added: NewDecision): RememberedDecision[] {
  const { subject, scope, isAllowed, at } = added;
  const isOfTool = scope !== 'server';
  const decision = {
    scope,
    server: subject.server,
    identity: subject.identity,
    tool: isOfTool ? subject.tool : undefined,
    definition: isOfTool ? subject.definition : undefined,
    arguments: scope === 'arguments' ? subject.arguments : undefined,
    isAllowed,
    at,
  };
  return [...decisions.filter((old) => !isReplaced(old, added)), decision].slice(-MAX_DECISIONS);
}

/** An answer about some arguments does not affect other decisions about the tool. */
function isReplaced(old: RememberedDecision, { subject, scope }: NewDecision): boolean {
  if (old.scope === scope && isAbout(old, subject)) return true;
  const isSameTool = old.server === subject.server && old.identity === subject.identity && old.tool === subject.tool;
  return scope !== 'arguments' && isSameTool && isOutdated(old, subject);
}

const MAX_DECISIONS = 1000;

/** Removes the decisions of the server, of the tool, or of the tool of the server; an omitted criterion matches all. */
export function withoutDecisions(
  decisions: readonly RememberedDecision[],
  { server, tool }: { readonly server: string | undefined; readonly tool: string | undefined },
): RememberedDecision[] {
  const matchesTarget = (decision: RememberedDecision) =>
    (server === undefined || decision.server === server) && (tool === undefined || decision.tool === tool);
  return decisions.filter((decision) => !matchesTarget(decision));
}
