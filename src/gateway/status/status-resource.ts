/** The status resource for clients, which cannot see our stderr. */
export const STATUS_URI = 'switchboard://status';

/** The status resource as listed in `resources/list`. */
export const statusResource = JSON.stringify({
  uri: STATUS_URI,
  name: 'switchboard-status',
  title: 'Status of the MCP servers behind this gateway',
  description:
    'Each server with its state, the reason, the next command to run, and tools that were renamed or left out.',
  mimeType: 'application/json',
});
