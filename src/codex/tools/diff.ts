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
    const { diff, files, ...rest } = await readDiff(sessions, sessionId);
    const isCut = diff.length > MAX_DIFF_CHARS || files.length > MAX_FILES;
    const shown = { diff: cut(diff, MAX_DIFF_CHARS), files: files.slice(0, MAX_FILES) };
    return toAnswer({ sessionId, ...shown, ...rest, ...(isCut ? { truncated: true } : {}) }, linksTo(sessionId));
  },
};
