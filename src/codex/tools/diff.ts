import { refuseForeign } from '../access.ts';
import { cut } from '../cut.ts';
import { readDiff } from '../session-diff.ts';
import { field, READ_ONLY, SESSION_ID } from './schemas.ts';
import { type CodexTool, linksTo, toAnswer } from './tool.ts';

const MAX_DIFF_CHARS = 60_000;
const MAX_FILES = 200;

export const diffTool: CodexTool = {
  name: 'codex_diff',
  definition: {
    title: 'Changes of a Codex session',
    description: 'The files that the last turn of a Codex session changed, and the changes as a unified diff.',
    input: {
      type: 'object',
      properties: { sessionId: SESSION_ID },
      required: ['sessionId'],
      additionalProperties: false,
    },
    output: {
      type: 'object',
      properties: {
        sessionId: { type: 'string' },
        diff: { type: 'string' },
        files: {
          type: 'array',
          items: {
            type: 'object',
            properties: { path: { type: 'string' }, kind: { type: 'string' } },
            required: ['path', 'kind'],
          },
        },
        pending: field.text('Changes that are not made yet, for instance because they wait for an approval'),
        note: field.text('Why the diff is not whole'),
        truncated: field.flag('The linked resource has the whole'),
      },
      required: ['sessionId', 'diff', 'files'],
    },
    annotations: READ_ONLY,
  },
  async run(args, _context, workplace) {
    const { sessions } = workplace;
    const sessionId = String(args['sessionId']);
    await refuseForeign(workplace, sessionId);
    const { diff, files, pending, ...rest } = await readDiff(sessions, sessionId);
    const isCut = Math.max(diff.length, pending?.length ?? 0) > MAX_DIFF_CHARS || files.length > MAX_FILES;
    const shown = {
      diff: cut(diff, MAX_DIFF_CHARS),
      files: files.slice(0, MAX_FILES),
      ...(pending === undefined ? {} : { pending: cut(pending, MAX_DIFF_CHARS) }),
    };
    return toAnswer({ sessionId, ...shown, ...rest, ...(isCut ? { truncated: true } : {}) }, linksTo(sessionId));
  },
};
