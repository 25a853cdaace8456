import { fileURLToPath } from 'node:url';
import { HOSTILE } from './listing-testbed.ts';
import type { Subject } from './matrix-commands.ts';
import type { ExitCodes, ServerRow } from './matrix-servers.ts';

/**
 * Adds a hyperlink with a hidden target, clipboard access, a query that the terminal answers as typed input, a
 * reset, an overwritten line, unusual line breaks, and invisible characters.
 */
const TRAP = [
  HOSTILE,
  '\u001b]8;;https://evil.example\u0007click\u001b]8;;\u0007',
  '\u001b]52;c;cm0gLXJm\u001b\\\u001b[6n\u001bc\u009d52;c;cm0=\u009c',
  '\rok\u0085\u2028\u2029\u{e0001}\u{e007f}',
].join('');

const HOSTILE_ID = 's';

/** Each row makes a different request to the same server. */
export const hostileRows: readonly ServerRow[] = [
  { ...row('in every text it sends', { tool: 'say', uri: 'test://x/plain', prompt: 'plain' }, all(0)), isShown: true },
  row(
    'when its tool fails, and the resource and prompt do not exist',
    { tool: 'fail', uri: 'test://x/plane', prompt: 'plan' },
    {
      ...{ call: 5, read: 5, prompt: 5 },
    },
  ),
  row('when it refuses', { tool: 'refuse' }, { call: 5 }),
  row('when its names are suggested', { tool: 'near' }, { tool: 5, call: 5 }),
  row(
    'when its names are typed',
    { tool: TRAP, uri: `test://x/${TRAP}`, prompt: TRAP },
    {
      ...{ 'tools that match': 0, tool: 0, call: 0, read: 5, prompt: 2 },
    },
  ),
  row('when a tool cannot be offered', { tool: 'say' }, { test: 6, tools: 0 }, 'twice'),
  row('when it refuses to start', { tool: 'say' }, all(4), 'start'),
  row('when it exits', { tool: 'say' }, all(4), 'end'),
];

function row(is: string, subject: Omit<Subject, 'id'>, exitCodes: ExitCodes, ...when: readonly string[]): ServerRow {
  const file = fileURLToPath(new URL('fixtures/injects-escapes.mjs', import.meta.url));
  const entry = { command: process.execPath, args: [file, TRAP, ...when] };
  return { is, open: () => ({ entry }), subject: { id: HOSTILE_ID, ...subject }, exitCodes };
}

function all(status: number): ExitCodes {
  return {
    ...{ test: status, tools: status, 'tools that match': status, tool: status, call: status },
    ...{ resources: status, templates: status, read: status, prompts: status, prompt: status },
  };
}
