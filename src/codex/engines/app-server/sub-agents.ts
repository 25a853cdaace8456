import { isObject } from '../../../wire/messages.ts';

type Members = Readonly<Record<string, unknown>>;

/** More than this no session has; who comes later is not remembered. */
const MAX_AGENTS = 10_000;

/**
 * Codex may let agents of its own work for a session, each in a thread that nobody but Codex has started. What ends the
 * session ends them, and what they ask is asked in the session.
 */
export class SubAgents {
  readonly #parents = new Map<string, string>();

  /** Learns from an item of a thread which threads work for it. */
  observe(threadId: string, { item }: Members): void {
    if (!isObject(item)) return;
    for (const agent of agentsOf(item)) {
      if (agent !== threadId && this.#parents.size < MAX_AGENTS) this.#parents.set(agent, threadId);
    }
  }

  /** The session for which a thread works: itself, when it works for nobody. */
  sessionOf(threadId: string): string {
    const seen = new Set<string>();
    let at = threadId;
    for (let parent = this.#parents.get(at); parent !== undefined && !seen.has(at); parent = this.#parents.get(at)) {
      seen.add(at);
      at = parent;
    }
    return at;
  }

  /** All threads that work for this session, whoever sent them. */
  threadsOf(sessionId: string): readonly string[] {
    return [...this.#parents.keys()].filter((agent) => agent !== sessionId && this.sessionOf(agent) === sessionId);
  }

  clear(): void {
    this.#parents.clear();
  }
}

function agentsOf(item: Members): readonly string[] {
  const { type, receiverThreadIds, agentThreadId } = item;
  if (type === 'subAgentActivity' && typeof agentThreadId === 'string') return [agentThreadId];
  if (type !== 'collabAgentToolCall' || !Array.isArray(receiverThreadIds)) return [];
  return receiverThreadIds.filter((id) => typeof id === 'string');
}
