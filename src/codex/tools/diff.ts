import { assertSessionAllowed } from '../limits/session-access.ts';
import { toPage } from '../text/pages.ts';
import { truncate } from '../text/truncate.ts';
import { readDiff } from '../views/session-diff.ts';
import { field, listOf, objectOf, READ_ONLY, SESSION_ID, STRING } from './schemas.ts';
import { type CodexTool, toSessionResult, toStructuredResult } from './tool.ts';

const MAX_DIFF_CHARS = 60_000;
const MAX_FILES = 200;

export const diffTool: CodexTool = {
  name: 'codex_diff',
  definition: {
    title: 'Diff of a Codex session',
    description:
      'Files changed during the last turn of a Codex session, including by shell commands, and a unified diff.',
    input: {
      type: 'object',
      properties: { sessionId: SESSION_ID, cursor: field.text('nextCursor of an earlier result') },
      required: ['sessionId'],
      additionalProperties: false,
    },
    output: objectOf(
      {
        sessionId: STRING,
        diff: STRING,
        files: listOf({ path: STRING, kind: STRING }, ['path', 'kind']),
        pending: field.text('Changes not applied yet, for example because they await approval'),
        note: field.text('Why the diff is incomplete'),
        nextCursor: field.text('Pass as cursor for the next page'),
        truncated: field.flag('The linked resource is complete'),
      },
      ['sessionId', 'diff', 'files'],
    ),
    annotations: READ_ONLY,
  },
  async run(args, _context, serverContext) {
    const { sessions } = serverContext;
    const sessionId = String(args['sessionId']);
    await assertSessionAllowed(serverContext, sessionId);
    const cursor = typeof args['cursor'] === 'string' ? args['cursor'] : undefined;
    const { diff, files, pending, note } = await readDiff(sessions, sessionId);
    const page = toPage(diff, { cursor, maxChars: MAX_DIFF_CHARS });
    const next = page.next === undefined ? {} : { nextCursor: page.next, truncated: true };
    // A caller that requests a further page already has the rest.
    if (cursor !== undefined) return toStructuredResult({ sessionId, diff: page.text, files: [], ...next });
    const isCut = files.length > MAX_FILES || (pending?.length ?? 0) > MAX_DIFF_CHARS;
    return toSessionResult({
      sessionId,
      diff: page.text,
      files: files.slice(0, MAX_FILES),
      ...(pending === undefined ? {} : { pending: truncate(pending, MAX_DIFF_CHARS) }),
      ...(note === undefined ? {} : { note }),
      ...(isCut ? { truncated: true } : {}),
      ...next,
    });
  },
};
