import { type AppError, toAppError } from '../../base/errors.ts';
import type { Route } from '../catalog/merged-list.ts';
import type { Catalogs } from '../catalog/profile-catalogs.ts';
import type { Client } from '../client/client.ts';
import { Deferred, tooLate } from '../client/pending-request.ts';
import type { Member } from '../servers/gateway-server.ts';
import type { Settling } from '../servers/readiness.ts';
import type { Roster } from '../servers/server-registry.ts';
import { answerForFailure } from './error-response.ts';
import type { Reply } from './forwarded-request.ts';

/** A call of a tool that no server has listed, or whose server must be compared with its pin first. */
export interface UnlistedCall {
  readonly idText: string;
  readonly name: string;
  readonly reply: Reply;
  /** Passes it on to the server that turned out to have the tool. */
  readonly pass: (route: Route) => void;
}

export interface UnlistedOptions {
  readonly roster: Roster;
  readonly catalogs: Catalogs;
  readonly settling: Settling;
  /** Whether a server could have a tool of this name, as far as the name tells. */
  readonly mayOwn: (serverId: string, name: string) => boolean;
  readonly whyUnknown: (client: Client, name: string) => AppError;
}

/**
 * Waits for servers that have not listed their tools yet, failed to list them, or must be compared with their pin. Then
 * calls the server that has the tool, or answers the client with an error.
 */
export function createUnlisted(options: UnlistedOptions): (client: Client, call: UnlistedCall) => void {
  const { roster, catalogs, settling, mayOwn, whyUnknown } = options;

  const find = (client: Client, call: UnlistedCall, tried: readonly Member[]) => {
    const { idText, name, reply, pass } = call;
    const next = roster.members.find(
      (member) => !tried.includes(member) && mayListMore(member) && mayOwn(member.upstream.id, name),
    );
    const [only] = tried.length === 1 ? tried : [next];
    const context = { method: 'tools/call', toolName: name, serverName: only?.upstream.id };
    const refuse = (error: AppError) => reply(answerForFailure(idText, error, context, client.errorStyle));
    if (next === undefined) return refuse((only && whyNotListed(only)) ?? whyUnknown(client, name));
    const refusal = next.upstream.whyRefused();
    if (refusal !== undefined) return refuse(refusal);

    const deferred = new Deferred({ client, idText, context, reply });
    next.upstream.wake();
    next.catalog.retry('tools');
    const isOver = () => deferred.isDone || !roster.members.includes(next) || hasAnswered(next);
    settling.until(isOver, next.upstream.requestTimeoutMs, () => {
      if (!deferred.handOver()) return;
      const route = catalogs.of(client.profile).find('tools', name);
      // One that was replaced meanwhile has a successor, which may have it.
      const isUsed = roster.members.includes(next);
      if (route === undefined || isUncompared(route.member))
        return find(client, call, isUsed ? [...tried, next] : tried);
      try {
        pass(route);
      } catch (error) {
        refuse(toAppError(error));
      }
    });
  };

  return (client, call) => find(client, call, []);
}

/**
 * Whether the tools of a pinned server may have changed since they were compared with the pin, because the server is
 * starting or its list is being read. Until then no tool of it may be called.
 */
export function isUncompared({ entry, upstream, catalog }: Member): boolean {
  return entry.pin && (upstream.state.kind !== 'ready' || !catalog.isFresh('tools'));
}

/** It has not listed its tools yet, or it failed to. */
function mayListMore(member: Member): boolean {
  const { catalog } = member;
  return !catalog.isListed('tools') || catalog.hasFailed('tools') || isUncompared(member);
}

/** The server has listed its tools, or is not available now. */
function hasAnswered(member: Member): boolean {
  const { upstream, catalog } = member;
  const isThere = upstream.state.kind === 'connecting' || upstream.state.kind === 'ready';
  return !isThere || (catalog.isListed('tools') && !isUncompared(member));
}

/** The one server that it could have been has not come so far. */
function whyNotListed(member: Member): AppError | undefined {
  const { upstream, catalog } = member;
  if (upstream.state.kind === 'error') return upstream.state.error;
  const isListed = catalog.isListed('tools') && !isUncompared(member);
  return isListed ? undefined : (upstream.whyRefused() ?? tooLate(upstream.id));
}
