import type { Clause } from '../requirements.ts';

/** Views: what each client of one gateway sees. */
// biome-ignore format: a table, one clause per line
export const views: readonly Clause[] = [
  { id: 'views:lists:limited', state: 'done', clause: 'A view limits tools, prompts, resources and resource templates.' },
  { id: 'views:names:stable', state: 'done', clause: 'Tools have the same names in every view.' },
  { id: 'views:calls:refused', state: 'done', clause: 'Requests for something outside the view fail with "not available in this view", which differs from the error for an unknown name.' },
  { id: 'views:status:limited', state: 'done', clause: '`switchboard://status` and the instructions name only what the view shows.' },
  { id: 'views:messages:isolated', state: 'done', clause: 'A client gets no messages of servers that its view hides.' },
  { id: 'views:reload:only-changed', state: 'done', clause: 'After a reload, only the clients of a changed view get `list_changed`.' },
  { id: 'views:reload:gone', state: 'done', clause: 'The clients of a view that is removed or becomes invalid see nothing.' },
  { id: 'views:trust:narrows-only', state: 'done', clause: 'A view of a project has no effect until it is trusted, and then only narrows a view of the same name.' },
  { id: 'views:errors:location', state: 'done', clause: 'An invalid view is reported with its file and line, and is never used.' },
];
