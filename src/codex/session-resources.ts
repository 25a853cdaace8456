import { AppError, isAppError } from '../base/errors.ts';
import type { Resource, ResourceTemplate, TextResource } from '../serve/protocol.ts';
import type { ResourceProvider } from '../serve/resources/resource-provider.ts';
import { assertSessionAllowed } from './limits/session-access.ts';
import type { ServerContext } from './server-context.ts';
import type { Session } from './sessions/session.ts';
import { inspectStoredSession } from './storage/inspect-session.ts';
import { type Page, toPage } from './text/pages.ts';
import { viewPendingApprovals } from './views/approval-view.ts';
import { readFinalMessage } from './views/final-message.ts';
import { renderDiff } from './views/session-diff.ts';
import {
  parseSessionUri,
  SESSIONS_URI,
  type SessionAddress,
  type SessionPart,
  sessionUri,
} from './views/session-uris.ts';
import { toStatusView } from './views/status-view.ts';
import { toStoredView } from './views/stored-view.ts';
import { renderTranscript } from './views/transcript.ts';

const TEMPLATES: readonly ResourceTemplate[] = [
  {
    uriTemplate: 'codex://sessions/{id}',
    name: 'session',
    description: 'Current status of a session',
    mimeType: 'application/json',
  },
  {
    uriTemplate: 'codex://sessions/{id}/result{?page}',
    name: 'result',
    description: 'The final message of its last turn',
    mimeType: 'text/markdown',
  },
  {
    uriTemplate: 'codex://sessions/{id}/transcript{?page}',
    name: 'transcript',
    description: 'Complete transcript, last page first',
    mimeType: 'text/markdown',
  },
  {
    uriTemplate: 'codex://sessions/{id}/diff{?page}',
    name: 'diff',
    description: 'Changes made by its last turn',
    mimeType: 'text/x-diff',
  },
];

/** The maximum size of one page of a session part. */
const MAX_PAGE_CHARS = 500_000;

const SESSIONS: Resource = {
  uri: SESSIONS_URI,
  name: 'sessions',
  description: 'The sessions of this server',
  mimeType: 'application/json',
};

/** Provides the sessions of the server as resources, so that clients can read and subscribe without a tool. */
export function createSessionResources(serverContext: ServerContext): ResourceProvider {
  const { sessions } = serverContext;
  const { registry } = sessions;

  const read = async (uri: string): Promise<readonly TextResource[]> => {
    if (uri === SESSIONS_URI) return [{ uri, ...json({ sessions: registry.all().map(describe) }) }];
    const address = parseSessionUri(uri);
    if (address === undefined) throw notFound(uri);
    try {
      await assertSessionAllowed(serverContext, address.sessionId);
      const { part, sessionId } = address;
      if (part === undefined) return [{ uri, ...(await readSession(sessionId)) }];
      return toContents({ ...address, part, uri }, await readPart(address));
    } catch (error) {
      throw isAppError(error) && error.code === 'SESSION_NOT_FOUND' ? notFound(uri) : error;
    }
  };

  const readPart = async ({ sessionId, part, page }: SessionAddress): Promise<Page> => {
    if (part === 'transcript') return renderTranscript(sessions, sessionId, page);
    const text =
      part === 'diff' ? await renderDiff(sessions, sessionId) : await readFinalMessage(serverContext, sessionId);
    return toPage(text, { cursor: page, maxChars: MAX_PAGE_CHARS });
  };

  const readSession = async (sessionId: string) => {
    const session = registry.find(sessionId);
    if (session !== undefined)
      return json({
        ...toStatusView(session, { outputLines: ALL_LINES }),
        ...viewPendingApprovals(session, { isWhole: true }),
      });
    return json(toStoredView(await inspectStoredSession(serverContext, { sessionId, limit: 1 }), ALL_LINES));
  };

  return {
    list: () => [SESSIONS, ...registry.all().slice(-MAX_LISTED).map(toResource)],
    templates: TEMPLATES,
    async read(uri) {
      return { contents: await read(uri) };
    },
    onChange(listener) {
      const known = new Map<string, string>();
      return registry.onChange((session) => {
        const isNew = !known.has(session.id);
        const statusChanged = known.get(session.id) !== session.status;
        known.set(session.id, session.status);
        if (isNew) listener(undefined);
        if (statusChanged) listener(SESSIONS_URI);
        listener(sessionUri(session.id));
        if (!statusChanged || session.isRunning) return;
        // All three are complete when the turn is over.
        listener(sessionUri(session.id, 'result'));
        listener(sessionUri(session.id, 'transcript'));
        listener(sessionUri(session.id, 'diff'));
      });
    },
  };
}

/** Returns a page, and the URI of the next page as a separate content: the text itself stays unchanged. */
function toContents(
  { uri, sessionId, part }: { readonly uri: string; readonly sessionId: string; readonly part: SessionPart },
  { text, next }: Page,
): readonly TextResource[] {
  const page = { uri, mimeType: part === 'diff' ? 'text/x-diff' : 'text/markdown', text };
  if (next === undefined) return [page];
  const nextUri = sessionUri(sessionId, part, next);
  return [page, { uri: nextUri, mimeType: 'text/plain', text: `The next page is ${nextUri}` }];
}

const MAX_LISTED = 100;
const ALL_LINES = 1000;

function toResource({ id, opened, status }: Session): Resource {
  return { uri: sessionUri(id), name: id, description: `${status}, in ${opened.cwd}`, mimeType: 'application/json' };
}

function describe({ id, status, opened, turnCount }: Session) {
  return { sessionId: id, status, workingDirectory: opened.cwd, turnCount };
}

function json(value: unknown) {
  return { mimeType: 'application/json', text: JSON.stringify(value, null, 2) };
}

function notFound(uri: string): AppError {
  return new AppError('RESOURCE_NOT_FOUND', `There is no resource ${uri}.`, { data: { uri } });
}
