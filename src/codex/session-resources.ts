import { isAppError } from '../base/errors.ts';
import type { Resource, TextResource } from '../serve/protocol.ts';
import type { Server } from '../serve/server.ts';
import { assertSessionAllowed } from './limits/session-access.ts';
import type { ServerContext } from './server-context.ts';
import type { Session } from './sessions/session.ts';
import { inspectStoredSession } from './storage/inspect-session.ts';
import { type Page, toPage } from './text/pages.ts';
import { viewPendingApprovals } from './views/approval-view.ts';
import { readFinalMessage } from './views/final-message.ts';
import { renderDiff } from './views/session-diff.ts';
import { SESSIONS_URI, type SessionPart, sessionUri } from './views/session-uris.ts';
import { toStatusView } from './views/status-view.ts';
import { toStoredView } from './views/stored-view.ts';
import { renderTranscript } from './views/transcript.ts';

/** The maximum size of one page of a session part. */
const MAX_PAGE_CHARS = 500_000;

/** Adds the sessions of the server as resources, so that clients can read and subscribe without a tool. */
export function addSessionResources(server: Server, serverContext: ServerContext): void {
  const { sessions } = serverContext;
  const { registry } = sessions;

  const readSession = async (sessionId: string) => {
    const session = registry.find(sessionId);
    if (session !== undefined)
      return {
        ...toStatusView(session, { outputLines: ALL_LINES }),
        ...viewPendingApprovals(session, { isWhole: true }),
      };
    return toStoredView(await inspectStoredSession(serverContext, { sessionId, limit: 1 }), ALL_LINES);
  };

  const readPart = async (sessionId: string, part: SessionPart, page: string | undefined): Promise<Page> => {
    if (part === 'transcript') return renderTranscript(sessions, sessionId, page);
    const text =
      part === 'diff' ? await renderDiff(sessions, sessionId) : await readFinalMessage(serverContext, sessionId);
    return toPage(text, { cursor: page, maxChars: MAX_PAGE_CHARS });
  };

  /** Returns undefined for a session that does not exist. */
  const readAllowed = async <Read>(sessionId: string, read: () => Promise<Read>): Promise<Read | undefined> => {
    try {
      await assertSessionAllowed(serverContext, sessionId);
      return await read();
    } catch (error) {
      if (isAppError(error) && error.code === 'SESSION_NOT_FOUND') return undefined;
      throw error;
    }
  };

  server.resource(SESSIONS_URI, { ...SESSIONS, ...JSON_TYPE }, () => json({ sessions: registry.all().map(describe) }));
  const list = () => registry.all().slice(-MAX_LISTED).map(toResource);
  server.resourceTemplate(`${SESSIONS_URI}/{id}`, { ...SESSION, ...JSON_TYPE, list }, ({ id }) =>
    readAllowed(id, async () => json(await readSession(id))),
  );
  for (const [part, definition] of Object.entries(PARTS) as [SessionPart, (typeof PARTS)[SessionPart]][])
    server.resourceTemplate(
      `${SESSIONS_URI}/{id}/${part}{?page}`,
      { name: part, ...definition },
      ({ id, page }, { uri }) =>
        readAllowed(id, async () => toContents({ uri, sessionId: id, part }, await readPart(id, part, page))),
    );
  registry.onChange(createChangeReporter(server));
}

/** Returns a listener that reports the changes of each session to the clients. */
function createChangeReporter(server: Server): (session: Session) => void {
  const known = new WeakMap<Session, string>();
  return (session) => {
    const isNew = !known.has(session);
    const statusChanged = known.get(session) !== session.status;
    known.set(session, session.status);
    if (isNew) server.resourcesChanged();
    if (statusChanged) server.resourceUpdated(SESSIONS_URI);
    server.resourceUpdated(sessionUri(session.id));
    if (!statusChanged || session.isRunning) return;
    // All three are complete when the turn is over.
    for (const part of ['result', 'transcript', 'diff'] as const) server.resourceUpdated(sessionUri(session.id, part));
  };
}

const JSON_TYPE = { mimeType: 'application/json' };
const SESSIONS = { name: 'sessions', description: 'The sessions of this server' };
const SESSION = { name: 'session', description: 'Current status of a session' };

const PARTS = {
  result: { description: 'The final message of its last turn', mimeType: 'text/markdown' },
  transcript: { description: 'Complete transcript, last page first', mimeType: 'text/markdown' },
  diff: { description: 'Changes made by its last turn', mimeType: 'text/x-diff' },
} as const satisfies Readonly<Record<SessionPart, object>>;

/** Returns a page, and the URI of the next page as a separate content: the text itself stays unchanged. */
function toContents(
  { uri, sessionId, part }: { readonly uri: string; readonly sessionId: string; readonly part: SessionPart },
  { text, next }: Page,
): { readonly contents: readonly TextResource[] } {
  const page = { uri, mimeType: PARTS[part].mimeType, text };
  if (next === undefined) return { contents: [page] };
  const nextUri = sessionUri(sessionId, part, next);
  return { contents: [page, { uri: nextUri, mimeType: 'text/plain', text: `The next page is ${nextUri}` }] };
}

const MAX_LISTED = 100;
const ALL_LINES = 1000;

function toResource({ id, opened, status }: Session): Resource {
  return { uri: sessionUri(id), name: id, description: `${status}, in ${opened.cwd}`, ...JSON_TYPE };
}

function describe({ id, status, opened, turnCount }: Session) {
  return { sessionId: id, status, workingDirectory: opened.cwd, turnCount };
}

function json(value: unknown): string {
  return JSON.stringify(value, null, 2);
}
