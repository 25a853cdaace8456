import { isObject, type JsonObject } from '../../../wire/messages.ts';

/** More than any session has. Agents beyond this number are not tracked. */
const MAX_AGENTS = 10_000;

/**
 * The agents that Codex starts for a session, each in a thread of its own. They end with the session, and their
 * approval requests belong to the session.
 */
export class SubAgents {
  readonly #parents = new Map<string, string>();

  /** Records the threads that work for a thread, from one of its items. */
  observe(threadId: string, { item }: JsonObject): void {
    if (!isObject(item)) return;
    for (const agent of agentsOf(item)) {
      if (agent !== threadId && this.#parents.size < MAX_AGENTS) this.#parents.set(agent, threadId);
    }
  }

  /** Returns the session that a thread works for, or the thread itself if it is not an agent. */
  sessionOf(threadId: string): string {
    const seen = new Set<string>();
    let at = threadId;
    for (let parent = this.#parents.get(at); parent !== undefined && !seen.has(at); parent = this.#parents.get(at)) {
      seen.add(at);
      at = parent;
    }
    return at;
  }

  /** Returns all threads that work for this session, directly or through other agents. */
  threadsOf(sessionId: string): readonly string[] {
    return [...this.#parents.keys()].filter((agent) => agent !== sessionId && this.sessionOf(agent) === sessionId);
  }

  clear(): void {
    this.#parents.clear();
  }
}

function agentsOf(item: JsonObject): readonly string[] {
  const { type, receiverThreadIds, agentThreadId } = item;
  if (type === 'subAgentActivity' && typeof agentThreadId === 'string') return [agentThreadId];
  if (type !== 'collabAgentToolCall' || !Array.isArray(receiverThreadIds)) return [];
  return receiverThreadIds.filter((id) => typeof id === 'string');
}
