#!/usr/bin/env node
// A scratchpad for one conversation: notes exist as long as the process runs.
// Demonstrates input and output schemas, annotations, log messages, progress and cancellation. Needs `npm install zod`.
import { setTimeout as delay } from 'node:timers/promises';
import { createServer, serveStdio } from 'switchboard/kit';
import { z } from 'zod';

const note = z.object({ id: z.number().int(), text: z.string(), tags: z.array(z.string()), isRead: z.boolean() });

/** @type {z.infer<typeof note>[]} */
const notes = [];

const server = createServer({
  name: 'notes',
  version: '1.0.0',
  instructions: 'Keeps short notes for this conversation.',
});

server.tool(
  'add_note',
  {
    description: 'Writes a note down and returns it with its id.',
    input: z.object({
      text: z.string().min(1).max(2000).describe('What to remember.'),
      tags: z.array(z.string()).default([]),
    }),
    output: note,
    // Changes only this process. With both hints false, Codex calls it without asking.
    annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
  },
  ({ text, tags }, { log }) => {
    const added = { id: notes.length + 1, text, tags, isRead: false };
    notes.push(added);
    log('info', `note ${added.id} added`, 'notes');
    return added;
  },
);

server.tool(
  'list_notes',
  {
    description: 'Lists the notes, oldest first.',
    input: z.object({ tag: z.string().optional().describe('Only notes with this tag.') }),
    output: z.object({ notes: z.array(note) }),
    annotations: { readOnlyHint: true },
  },
  ({ tag }) => ({ notes: notes.filter(({ tags }) => tag === undefined || tags.includes(tag)) }),
);

server.tool(
  'read_aloud',
  {
    description: 'Reads the unread notes one after the other, with a pause after each.',
    input: z.object({ pauseMs: z.number().int().min(0).max(60_000).default(500) }),
    annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
  },
  async ({ pauseMs }, { signal, progress }) => {
    const unread = notes.filter(({ isRead }) => !isRead);
    for (const [index, next] of unread.entries()) {
      progress({ progress: index + 1, total: unread.length, message: next.text });
      // Throws when the client cancels the call or disconnects. This note and the following ones stay unread.
      await delay(pauseMs, undefined, { signal });
      next.isRead = true;
    }
    return unread.length === 0 ? 'There is nothing to read.' : unread.map(({ text }) => text).join('\n');
  },
);

serveStdio(server);
