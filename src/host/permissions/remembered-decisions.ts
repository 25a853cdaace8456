import { sha256 } from '../../base/digest.ts';
import { definitionHash } from '../../schema/differences/difference.ts';
import { type ArgumentsSnapshot, argumentsDigest } from './arguments-snapshot.ts';

/** How much one answer of a person is about: these arguments of the tool, the tool, or everything of the server. */
export type Scope = (typeof SCOPES)[number];

export const SCOPES = ['arguments', 'tool', 'server'] as const;

/** A decision of a person, as it is kept. What it is about stands there as digests, except for the names. */
export interface RememberedDecision {
  readonly scope: Scope;
  readonly server: string;
  readonly identity: string;
  /** Not of a server. */
  readonly tool: string | undefined;
  /** Not of a server. */
  readonly definition: string | undefined;
  /** Of arguments only. */
  readonly arguments: string | undefined;
  readonly isAllowed: boolean;
  readonly at: number;
}

/** A call, as far as decisions are about it. */
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

/** Names that no sensible server has could fill the file, or make one that is not read again. */
export function canBeRemembered({ server, tool }: DecisionSubject): boolean {
  return [server, tool].every((name) => name.length <= MAX_NAME && !name.includes('\0'));
}

const MAX_NAME = 512;

/** `changed` is what was decided about the tool when it was another one: that does not count, but is worth a word. */
export type DecisionLookup =
  | { readonly kind: 'decided'; readonly decision: RememberedDecision }
  | { readonly kind: 'changed'; readonly decision: RememberedDecision }
  | { readonly kind: 'nothing' };

/**
 * What counts for this call. A refusal counts before every permission. A tool that was decided about by itself and has
 * changed since is asked about again, even where the whole server is allowed: else a refused tool would only have to
 * change.
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

/** Same server, and same tool and arguments where it speaks of them; of whichever definition. */
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

/** With the new one at the end, and without those that it takes the place of. The oldest go when there are too many. */
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

/** An answer about some arguments says nothing about the rest of the tool. */
function isReplaced(old: RememberedDecision, { subject, scope }: NewDecision): boolean {
  if (old.scope === scope && isAbout(old, subject)) return true;
  const isSameTool = old.server === subject.server && old.identity === subject.identity && old.tool === subject.tool;
  return scope !== 'arguments' && isSameTool && isOutdated(old, subject);
}

const MAX_DECISIONS = 1000;

/** Without those of the server, of the tool, or of the tool of the server; what is not named is any. */
export function withoutDecisions(
  decisions: readonly RememberedDecision[],
  { server, tool }: { readonly server: string | undefined; readonly tool: string | undefined },
): RememberedDecision[] {
  const isMeant = (decision: RememberedDecision) =>
    (server === undefined || decision.server === server) && (tool === undefined || decision.tool === tool);
  return decisions.filter((decision) => !isMeant(decision));
}
