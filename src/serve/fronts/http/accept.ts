/** The kinds of responses that a client can read. */
export interface Accepted {
  readonly json: boolean;
  readonly events: boolean;
}

/** Reads an `Accept` header. A client that sends none can read both kinds, as MCP requires of every client. */
export function readAccept(header: string | undefined): Accepted {
  if (header === undefined || header === USUAL) return BOTH;
  const anything = header.includes('*/*');
  return {
    json: anything || header.includes('application/json') || header.includes('application/*'),
    events: anything || header.includes('text/event-stream') || header.includes('text/*'),
  };
}

const USUAL = 'application/json, text/event-stream';
const BOTH: Accepted = { json: true, events: true };
